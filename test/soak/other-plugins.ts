/** Other plugins, whose autocommands do what they like in the middle of ours. */
import { type Action, pause, type Session } from "./session.ts";

const events = [
  ...["TextChanged", "TextChangedI", "CursorMoved", "CursorMovedI", "InsertEnter", "InsertLeave"],
  ...["BufWritePre", "BufWritePost", "BufEnter", "BufLeave", "WinEnter", "WinLeave", "WinNew"],
  ...["WinScrolled", "WinClosed", "ModeChanged", "CursorHold", "BufModifiedSet", "User"],
  ...["DiagnosticChanged", "FileChangedShell", "FileChangedShellPost", "BufReadPost", "FileType"],
  ...["BufHidden", "BufWinEnter", "BufUnload", "CmdlineLeave", "OptionSet", "SafeState"],
] as const;

/** A bug that shows where Parley is at work; elsewhere it would end what the session itself asks of Neovim. */
const failing =
  "if luaeval('debug.traceback():find([[lua/parley/]])') isnot v:null | echo g:bug | endif";

/** As Ex commands. */
const effects = [
  ...[failing, failing, "lua vim.wait(5)", "lua vim.wait(30)", "redraw", "redrawstatus!"],
  ...[
    "silent! normal! j",
    "silent! normal! zz",
    "silent! normal! G",
    "silent! wincmd w",
    "sleep 5m",
  ],
  ...["silent! split | close", "silent! tabnew | tabclose", "silent! enew | silent! buffer #"],
  ...["silent! update", "silent! noautocmd write", "silent! wall", "silent! checktime"],
  ...["silent! stopinsert", "silent! %s/\\s\\+$//e", "silent! doautocmd <nomodeline> BufEnter"],
  ...["silent! setlocal nomodifiable", "silent! setlocal foldmethod=indent", "silent! normal! zR"],
  ...["call nvim_buf_set_lines(0, 0, -1, 0, nvim_buf_get_lines(0, 0, -1, 0))"],
  ...["call feedkeys('j', 'n')", "call timer_start(3, {-> execute('silent! update')})"],
  ...["lua vim.schedule(function() vim.cmd('silent! wincmd w') end)", "silent! undojoin"],
  ...[
    "silent! mkview | silent! loadview",
    "silent! nohlsearch | silent! diffoff!",
    "silent! lcd .",
  ],
] as const;

const hooking: Action = async (session) => {
  const { random, live } = session;
  const [event, effect] = [random.of(events), random.of(effects)];
  const times = 1 + random.below(4);
  await live.nvim.lua(
    `local event, effect, times = ...
    local left = "g:soak_left_" .. vim.fn.rand()
    vim.cmd(("let %s = %d"):format(left, times))
    vim.api.nvim_create_autocmd(event, {
      group = vim.api.nvim_create_augroup("soak.other_plugins", { clear = false }),
      nested = times % 2 == 0,
      command = ("if %s > 0 && !get(g:, 'soak_is_busy') | let %s -= 1 | let g:soak_is_busy = 1"
        .. " | try | execute '%s' | finally | let g:soak_is_busy = 0 | endtry | endif"
      ):format(left, left, (effect:gsub("'", "''"))),
    })`,
    event,
    effect,
    times,
  );
  await pause(session, 10);
  return `another plugin: ${effect}, ${times} times at ${event}`;
};

/** All other plugins are gone. */
export async function unhook({ live }: Session): Promise<void> {
  await live.nvim.command("silent! autocmd! soak.other_plugins");
}

export const otherPlugins: readonly (readonly [number, Action])[] = [[20, hooking]];
