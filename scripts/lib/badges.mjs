// The badges of README.md as local pictures, generated from the scripts and the manifest: they depend on no service and
// are never missing or out of date.

/** The width of a letter in 11 px Verdana, in pixels; `textLength` makes every font as wide. */
const letters = [
  { among: /[ijlftr.,I ]/, width: 4.4 },
  { among: /[mwMWN]/, width: 9.4 },
  { among: /./, width: 6.9 },
];
const widthOfLetter = (letter) => letters.find(({ among }) => among.test(letter)).width;
const padding = 8;
const height = 20;

/** White text on either has a contrast of more than 4.5. */
const colours = { label: "#555555", value: "#0b6e4f" };

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Returns one badge as an SVG: a label and its value. */
function badge(label, value) {
  const widthOf = (text) =>
    Math.round([...text].reduce((sum, letter) => sum + widthOfLetter(letter), 0)) + 2 * padding;
  const [left, right] = [widthOf(label), widthOf(value)];
  const words = (text, x, width) =>
    `<text x="${x + padding}" y="14" textLength="${width - 2 * padding}">${escaped(text)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${height}" role="img" aria-label="${escaped(`${label}: ${value}`)}">
<title>${escaped(`${label}: ${value}`)}</title>
<clipPath id="round"><rect width="${left + right}" height="${height}" rx="3"/></clipPath>
<g clip-path="url(#round)"><rect width="${left}" height="${height}" fill="${colours.label}"/><rect x="${left}" width="${right}" height="${height}" fill="${colours.value}"/></g>
<g fill="#ffffff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${words(label, 0, left)}${words(value, left, right)}</g>
</svg>
`;
}

/** Returns the badges by name, for doc/badges/. */
export function badges({ supported, manifest }) {
  const minor = (version) => version.split(".", 2).join(".");
  const [oldest, newest] = supported.neovim.map(minor);
  return {
    neovim: badge("Neovim", `${oldest} to ${newest}`),
    node: badge("Node", `${minor(supported.node)} or newer`),
    licence: badge("licence", manifest.license),
    version: badge("version", manifest.version),
  };
}
