/** The login of one server: what its connections need of it, and what a person does with it. Loads no SDK by itself. */
import type { AuthProvider, OAuthClientProvider } from "@modelcontextprotocol/client";
import { tokensInUse } from "./credentials.ts";
import type { Challenge, LoginOptions } from "./flow.ts";
import type { ServerLogin } from "./provider.ts";

export interface OAuthLogin {
  /** For the transports: gives the token, and renews it without a person after a 401. */
  readonly authProvider: AuthProvider;
  /** A call needed more rights than the login has; the next login asks for them, in whatever process. */
  wantsScope(scope: string): Promise<void>;
  /** Whether it refused a request since the last login, and only a person can help. */
  needsLogin(): Promise<boolean>;
  /** Whether somebody must log in at all; a machine does it by itself. */
  readonly isForPeople: boolean;
  /** Rejects with a sentence; then what was known is as it was. */
  login(options: LoginOptions): Promise<void>;
  /** Forgets the tokens here; false when there were none. */
  logout(): Promise<boolean>;
}

export function createOAuthLogin(known: ServerLogin): OAuthLogin {
  const { server, settings, store } = known;
  let challenge: Challenge = {};
  let isRefused = false;
  /** The last that a request may have carried. */
  let handedOut: string | undefined;
  let machine: Promise<OAuthClientProvider> | null = null;
  const machineProvider = () => {
    machine ??= import("./provider.ts").then((provider) => provider.machineProvider(known));
    return machine;
  };
  const token = async (): Promise<string | undefined> => {
    if (settings.isMachine) {
      return (await (await machineProvider()).tokens())?.access_token;
    }
    return tokensInUse(await store.read(server), settings)?.access_token;
  };
  return {
    isForPeople: !settings.isMachine,
    authProvider: {
      async token() {
        handedOut = await token();
        return handedOut;
      },
      async onUnauthorized({ response }) {
        const flow = await import("./flow.ts");
        const refused = handedOut;
        const before = await token();
        challenge = flow.challengeOf(response);
        if (settings.isMachine) return flow.renew(known, await machineProvider(), challenge);
        isRefused = true;
        await store.alone(server, async () => {
          const now = await token();
          // Another request, or another Neovim, was faster: a refresh token is good for one use only.
          if (now === undefined || (now === before && now === refused)) {
            const { silentProvider } = await import("./provider.ts");
            await flow.renew(known, silentProvider(known), challenge);
          }
        });
        isRefused = false;
      },
    },
    async wantsScope(scope) {
      // A machine has the rights that it was given.
      if (settings.isMachine) return;
      await store.change(server, (now) => now && { ...now, wanted: scope });
    },
    async needsLogin() {
      return isRefused || (await store.read(server))?.wanted !== undefined;
    },
    async login(options) {
      const flow = await import("./flow.ts");
      await flow.login(known, challenge, options);
      challenge = {};
      isRefused = false;
    },
    async logout() {
      // One that cannot be read can still be forgotten.
      const had = await store.read(server).then(
        (found) => found !== null,
        () => true,
      );
      if (had) await store.change(server, () => null);
      challenge = {};
      isRefused = false;
      return had;
    },
  };
}
