/** The login of one server: tokens for its connections, and the user's login and logout. Loads the SDK only on use. */
import type { AuthProvider, OAuthClientProvider } from "@modelcontextprotocol/client";
import { tokensInUse } from "./credentials.ts";
import type { Challenge, LoginOptions } from "./flow.ts";
import type { ServerLogin } from "./provider.ts";

export interface OAuthLogin {
  /** For the transports: returns the token, and renews it without the user after a 401. */
  readonly authProvider: AuthProvider;
  /** Stores scopes that a call needed but the login lacks; the next login requests them, in any process. */
  wantsScope(scope: string): Promise<void>;
  /** Whether the server refused a request since the last login, and only the user can fix that. */
  needsLogin(): Promise<boolean>;
  /** Whether the user has to log in; a machine client (client_credentials) logs in without the user. */
  readonly isForPeople: boolean;
  /** Rejects with an error for the user; the stored credentials then stay unchanged. */
  login(options: LoginOptions): Promise<void>;
  /** Deletes the stored tokens; returns false if there were none. */
  logout(): Promise<boolean>;
}

export function createOAuthLogin(known: ServerLogin): OAuthLogin {
  const { server, settings, store } = known;
  let challenge: Challenge = {};
  let isRefused = false;
  /** The last token that a request may have sent. */
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
          // Another request or another Neovim may have renewed it meanwhile: a refresh token works only once.
          if (now === undefined || (now === before && now === refused)) {
            const { silentProvider } = await import("./provider.ts");
            await flow.renew(known, silentProvider(known), challenge);
          }
        });
        isRefused = false;
      },
    },
    async wantsScope(scope) {
      // A machine client has fixed scopes.
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
      // Credentials that cannot be read can still be deleted.
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
