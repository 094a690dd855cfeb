/**
 * Programs that look for code in their working directory. Started inside a cloned repository, they run that
 * repository's code, whatever their arguments are.
 */
import { ownValue } from "../../shared/json.ts";

interface Launcher {
  /** Absent: for all arguments. */
  readonly when?: (args: readonly string[]) => boolean;
  /** Files in the working directory that define what runs. */
  readonly manifests?: readonly string[];
}

const always: Launcher = {};
const packageFile: Launcher = { manifests: ["package.json"] };
const pythonProject: Launcher = { manifests: ["pyproject.toml"] };
const makefile: Launcher = { manifests: ["Makefile", "makefile", "GNUmakefile"] };
/** Its command text may start any of the others. */
const shell: Launcher = { when: hasOption(/^-[abd-z]*c[a-z]*$/i) };
/** `-m`, `-c` and a start without a script put the working directory first on the module path. */
const python: Launcher = {
  when: (args) => hasOption(/^-[a-z]*[mc]/i)(args) || args.every((arg) => arg.startsWith("-")),
};
/** Bare module names are resolved in the working directory, and `--run` runs a script of its package.json. */
const node: Launcher = {
  when: hasOption(/^(-r|--require|--import|--loader|--experimental-loader|--run)(=|$)/),
  manifests: ["package.json"],
};
const compose = ["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];

const launchers: Readonly<Record<string, Launcher>> = {
  ...named("npx npm pnpm pnpx yarn yarnpkg bunx bun corepack tsx ts-node", packageFile),
  ...named("uvx uv pipx poetry pdm hatch rye pipenv", pythonProject),
  ...named("pixi", { manifests: ["pixi.toml", "pyproject.toml"] }),
  ...named("conda mamba micromamba", always),
  ...named("deno", { manifests: ["deno.json", "deno.jsonc"] }),
  ...named("go", {
    when: (args) => args[0] === "run" || args[0] === "tool",
    manifests: ["go.mod"],
  }),
  ...named("cargo", { manifests: ["Cargo.toml"] }),
  ...named("make gmake", makefile),
  ...named("just", { manifests: ["justfile", "Justfile", ".justfile"] }),
  ...named("rake bundle bundler", { manifests: ["Gemfile", "Rakefile"] }),
  ...named("mix", { manifests: ["mix.exs"] }),
  ...named("nix nix-shell", { manifests: ["flake.nix", "shell.nix", "default.nix"] }),
  ...named("docker-compose podman-compose", { manifests: compose }),
  ...named("docker podman", { when: (args) => args.includes("compose"), manifests: compose }),
  ...named("task", { manifests: ["Taskfile.yml", "Taskfile.yaml"] }),
  ...named("composer", { manifests: ["composer.json"] }),
  ...named("gradle", { manifests: ["build.gradle", "build.gradle.kts"] }),
  ...named("mvn", { manifests: ["pom.xml"] }),
  ...named("mise", { manifests: ["mise.toml", ".mise.toml"] }),
  ...named("clojure clj bb", { manifests: ["deps.edn", "bb.edn"] }),
  ...named("dart flutter", { manifests: ["pubspec.yaml"] }),
  // A file in the working directory sets the package source: NuGet.config, jbang-catalog.json.
  ...named("dotnet dnx jbang", always),
  ...named("stack cabal swift zig asdf direnv devbox sbt lein scala-cli guix", always),
  // They start other programs; each has its own syntax for that in its arguments.
  ...named(
    "env nice nohup timeout time setsid sudo doas xargs volta fnm cmd powershell pwsh",
    always,
  ),
  ...named("sh bash zsh dash ash ksh fish busybox", shell),
  ...named("python python2 python3 pypy pypy3 py", python),
  ...named("node nodejs", node),
};

function named(names: string, launcher: Launcher): Readonly<Record<string, Launcher>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, launcher]));
}

/** Also matches options behind the script, which belong to the script: only a full option parser could tell. */
function hasOption(option: RegExp): (args: readonly string[]) => boolean {
  return (args) => args.some((arg) => option.test(arg));
}

/** Null for a program that runs only what its command line names. */
export function launcherOf(command: string, args: readonly string[]): Launcher | null {
  const name = programName(command);
  const launcher = ownValue(launchers, name);
  // For example `python3.12`.
  const known = launcher ?? (/^python[\d.]+$/.test(name) ? python : undefined);
  if (known === undefined) return null;
  return known.when === undefined || known.when(args) ? known : null;
}

/** The common name of a program: without its folder and without a Windows extension. */
export function programName(command: string): string {
  const base = command.split(/[\\/]/).at(-1) ?? "";
  return base.toLowerCase().replace(/\.(exe|cmd|bat|ps1)$/, "");
}
