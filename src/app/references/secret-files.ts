/** Recognises files that look like secrets: a question that refers to one needs approval each time. */
import { matchesPattern } from "../../conversation/settings/tool-selection.ts";
import { foldedReadings } from "../../system/paths.ts";

/** In lower case; `*` stands for any characters. `folders`: every file below counts. `not`: names without secrets. */
const secret = {
  names: [
    ".env",
    ".env.*",
    ".env-*",
    ".env_*",
    "*.env",
    ".envrc",
    ".dev.vars",
    ".dev.vars.*",
    ".netrc",
    "_netrc",
    ".authinfo",
    ".msmtprc",
    ".fetchmailrc",
    "rclone.conf",
    // Commands that were typed, and the keys in them.
    ".*_history",
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
    ".secrets",
    "secret.*",
    "secrets.*",
    "*token*.json",
    "*service-account*.json",
    "*serviceaccount*.json",
    "local.settings.json",
    "wp-config.php",
    "kubeconfig",
    "*.kubeconfig",
    ".vault-token",
    ".vault_pass*",
    ".vault-pass*",
    ".s3cfg",
    "*.pem",
    "*.ppk",
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
    "auth.json",
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
  // Templates without values, public halves of keys, and the token files of models.
  not: [
    ".env.example",
    ".env.sample",
    ".env.template",
    ".env.dist",
    ".env-example",
    ".env_example",
    ".env-sample",
    ".env_sample",
    ".env-template",
    ".env_template",
    ".env.*.example",
    ".env.*.sample",
    ".env.*.template",
    ".env.*.dist",
    "example.env",
    "sample.env",
    "template.env",
    "id_*.pub",
    "tokenizer*.json",
    "*tokens_map.json",
  ],
};
const folders = new Set(secret.folders);

/** A search checks every file below a folder, so plain names are looked up in a set before any pattern is tried. */
function named(patterns: readonly string[]): (name: string) => boolean {
  const isOpen = (pattern: string) => pattern.includes("*");
  const whole = new Set(patterns.filter((pattern) => !isOpen(pattern)));
  const open = patterns.filter(isOpen);
  return (name) => whole.has(name) || open.some((pattern) => matchesPattern(pattern, name));
}
const isNamedSecret = named(secret.names);
const isHarmless = named(secret.not);

/** `path` may use either separator. Only its names count, not the content of the file. */
export function looksSecret(path: string): boolean {
  const readings = new Set(foldedReadings(path));
  return [...readings].some((folded) => isSecret(folded.split("/")));
}

function isSecret(parts: readonly string[]): boolean {
  const isBelowOne = parts.slice(0, -1).some((part) => folders.has(part));
  // A remote address in Git's config often contains a login.
  const isOfGit = parts.at(-1) === "config" && parts.at(-2) === ".git";
  return isBelowOne || isOfGit || isSecretName(parts.at(-1) ?? "");
}

/** How many copy suffixes are removed at most: names may have any length, and each round scans all of it. */
const mostCopies = 4;

function isSecretName(name: string, copies = mostCopies): boolean {
  if (isNamedSecret(name) && !isHarmless(name)) return true;
  const original = originalOf(name);
  return original !== name && copies > 0 && isSecretName(original, copies - 1);
}

/** The original name of a copy that an editor or a program keeps: `..env.swp`, `.env~`, `terraform.tfstate.backup`. */
function originalOf(name: string): string {
  const swapped = /^\.(.+)\.sw[a-p]$/.exec(name)?.[1] ?? name;
  return swapped
    .replace(/^(?:#|\.#)(?=.)/, "")
    .replace(/(?:~|#|\.(?:bak|back|backup|old|orig|save|saved|copy|tmp|\d+))$/, "");
}
