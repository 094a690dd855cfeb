// What Neovim's own node host loads. One command, under a name that no other plugin's manifest shadows;
// everything else is what dist/ serves on the connection of that host.
module.exports = (plugin) => {
  const serving = () =>
    import("../../../dist/host.js").then((host) => host.serveStock(plugin.nvim));
  let served;
  plugin.setOptions({ dev: false });
  plugin.registerCommand(
    "ParleyStock",
    async ([argument]) => {
      try {
        served ??= serving();
        await served;
        if (argument !== "start") {
          await plugin.nvim.outWriteLine("Parley's host is served by Neovim's node host.");
        }
      } catch (error) {
        served = undefined;
        const reason = error instanceof Error ? error.message : String(error);
        await plugin.nvim.errWriteLine(
          `Parley's host could not start: ${reason} Try :Parley build.`,
        );
      }
    },
    { nargs: "*", sync: false },
  );
};
