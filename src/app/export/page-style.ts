/** How a shared page looks. Every text has a contrast of at least 4.5 on its ground, light and dark. */

export const pageStyle = `
:root {
  --ground: #ffffff; --text: #1f2328; --quiet: #59636e; --line: #d1d9e0;
  --question: #eef4fb; --code: #f4f5f7; --link: #0b5cad;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #15181c; --text: #e3e6ea; --quiet: #9aa4af; --line: #3a414a;
    --question: #1f2a38; --code: #20252b; --link: #79b8ff;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: 16px/1.6 system-ui, sans-serif; overflow-wrap: break-word;
}
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; }
a { color: var(--link); }
section { margin: 1.5rem 0; }
section > :first-child { margin-top: 0; }
section > :last-child { margin-bottom: 0; }
.question { background: var(--question); border-radius: 0.6rem; padding: 0.8rem 1rem; }
.label, .status, .missing { color: var(--quiet); font-size: 0.875rem; }
.label { margin: 0 0 0.4rem; }
.missing::before { content: "not here: "; }
details { border: 1px solid var(--line); border-radius: 0.4rem; margin: 0.8rem 0; padding: 0.3rem 0.8rem; }
details + details { margin-top: -0.3rem; }
summary { cursor: pointer; }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace; }
code { background: var(--code); border-radius: 0.25rem; padding: 0.1em 0.3em; }
pre { background: var(--code); border-radius: 0.4rem; padding: 0.7rem 0.9rem; overflow-x: auto; }
pre code { background: none; padding: 0; }
details pre { max-height: 24rem; overflow: auto; white-space: pre-wrap; }
img { max-width: 100%; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: 0.3rem 0.6rem; }
th, td { text-align: left; }
.right { text-align: right; }
.center { text-align: center; }
blockquote { border-left: 3px solid var(--line); color: var(--quiet); margin-left: 0; padding-left: 1rem; }
hr { border: 0; border-top: 1px solid var(--line); }
@media print { main { max-width: none; padding: 0; } section { break-inside: avoid-page; } }
`;
