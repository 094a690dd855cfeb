/** The one way the host speaks to Neovim: functions of `lua/parley/rpc.lua`, called by request, never by notification. */
import type { NeovimClient } from "neovim";

export interface Lua {
  /** Calls a Lua function by name; rejects with Neovim's own message when it throws or the channel is closed. */
  call(name: string, ...parameters: readonly unknown[]): Promise<unknown>;
  request(method: string, parameters: readonly unknown[]): Promise<unknown>;
}

export function createLua(nvim: NeovimClient): Lua {
  const request = async (method: string, parameters: readonly unknown[]): Promise<unknown> =>
    nvim.request(method, [...parameters]);
  return {
    request,
    call: (name, ...parameters) =>
      request("nvim_exec_lua", ["return require('parley.rpc').call(...)", [name, ...parameters]]),
  };
}
