/** Files that look as if they held secrets: a question that refers to one is asked about each time. */
import { matchesPattern } from "../../conversation/settings/tool-selection.ts";
import { foldedReadings } from "../../system/paths.ts";

/** All in lower case; `*` stands for any characters. `folders`: every file below counts. */
const secret = {
  names: [
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".git-credentials",
    ".dockercfg",
    ".terraformrc",
    ".boto",
    "credentials",
    "credentials.*",
    "*credentials*.json",
    "secret",
    "secrets",
    "secret.*",
    "secrets.*",
    "*token*.json",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.asc",
    "*.gpg",
    "*.age",
    "*.ovpn",
    "*.tfvars",
    "*.tfstate",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "master.key",
    "shadow",
    "oauth.json",
  ],
  folders: [
    ".ssh",
    ".aws",
    ".gnupg",
    ".azure",
    ".kube",
    ".docker",
    ".password-store",
    "gcloud",
    "secrets",
    ".secrets",
  ],
};

/** `path` with either separator; a file is judged by its names alone. */
export function looksSecret(path: string): boolean {
  return foldedReadings(path).some((folded) => isSecret(folded.split("/")));
}

function isSecret(parts: readonly string[]): boolean {
  const name = parts.at(-1) ?? "";
  return (
    secret.names.some((pattern) => matchesPattern(pattern, name)) ||
    parts.slice(0, -1).some((part) => secret.folders.includes(part))
  );
}
