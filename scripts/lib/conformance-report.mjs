// doc/conformance.md, made from the results.

/** The reasons why scenarios do not pass. The script fails when any other scenario fails. */
const reasons = {
  "auth/dpop": "DPoP (sender-constrained tokens) is not supported.",
  "auth/dpop-nonce": "DPoP (sender-constrained tokens) is not supported.",
  "auth/wif-jwt-bearer": "Logins by a workload's own identity are not supported.",
  "auth/enterprise-managed-authorization":
    "Logins by an enterprise's identity provider (cross-app access) are not supported.",
};

export function unexplained(results) {
  return results.filter(({ name, passed }) => !passed && reasons[name] === undefined);
}

export function describeResults({ version }, results) {
  const scored = results.filter(({ unscored }) => unscored === null);
  const counts = [...new Set(results.map(({ revision }) => revision))].map((revision) => {
    const ours = scored.filter((result) => result.revision === revision);
    const passed = ours.filter((result) => result.passed).length;
    return `- ${revision}: ${passed} of ${ours.length} required scenarios pass.`;
  });
  return `# MCP conformance

Results of the public test suite \`@modelcontextprotocol/conformance\` ${version} for Parley's MCP client.
\`npm run conformance\` runs one scenario at a time over HTTP and writes this page. It tests the client in \`src/mcp/\` as
the plugin uses it (\`test/conformance/driver.ts\`); logins use the same loopback callback as a person's browser. The suite
does not cover stdio servers; the tests in \`test/mcp\` do.

${counts.join("\n")}

| scenario | ${[...new Set(results.map(({ revision }) => revision))].join(" | ")} | remark |
|---|---|---|---|
${rows(results).join("\n")}

The numbers count checks. "–" means that the revision does not have the scenario. Scenarios for extensions, and scenarios
newer than the revision, also run but are not counted.
`;
}

function rows(results) {
  const revisions = [...new Set(results.map(({ revision }) => revision))];
  const names = [...new Set(results.map(({ name }) => name))];
  return names.map((name) => {
    const own = results.filter((result) => result.name === name);
    const cells = revisions.map((revision) => cell(own.find((one) => one.revision === revision)));
    const isUnscored = own.every(({ unscored }) => unscored !== null);
    const remarks = [
      ...(isUnscored ? ["not required."] : []),
      ...(own.some(({ passed }) => !passed) ? [reasons[name] ?? "not explained yet."] : []),
    ];
    return `| ${name} | ${cells.join(" | ")} | ${remarks.join(" ")} |`;
  });
}

function cell(result) {
  if (result === undefined) return "–";
  if (result.passed) return `passed, ${result.checks}`;
  return `failed, ${result.failed.length} of ${result.checks}`;
}
