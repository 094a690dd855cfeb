/** Options of `spawn` that make the child the leader of a process group of its own. */
export const groupOptions = { detached: process.platform !== "win32", windowsHide: true } as const;
