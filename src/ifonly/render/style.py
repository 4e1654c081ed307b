"""The style of the HTML renderings. Nothing is fetched: system fonts, no pictures."""

PAGE_STYLE = """
:root {
  color-scheme: light dark;
  --paper: #fbfaf8; --card: #ffffff; --ink: #1f2328; --soft: #626a73; --line: #e3e0da;
  --accent: #1d6fa5; --good: #1a7f4b; --warn: #9a6700; --bad: #b3372b; --track: #ebe8e2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181b; --card: #1e2125; --ink: #e8e6e3; --soft: #9aa2ab; --line: #33383e;
    --accent: #6cb4e4; --good: #5cc48a; --warn: #dcae4c; --bad: #ef8479; --track: #30353b;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 2rem; margin: 0; letter-spacing: -.01em; }
header p { color: var(--soft); max-width: 44rem; margin: .4rem 0 2rem; }
h2 { font-size: 1.25rem; margin: 0 0 .25rem; display: flex; gap: .75rem; align-items: center;
  flex-wrap: wrap; }
section { margin-bottom: 3rem; }
section.row { border-top: 1px solid var(--line); padding-top: 1.5rem; }
table { border-collapse: collapse; }
th { text-align: left; font-weight: 500; color: var(--soft); }
a { color: var(--accent); }
.overview { width: 100%; font-size: .95rem; }
.overview th, .overview td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); }
.number { font-variant-numeric: tabular-nums; }
.now { margin: 0 0 .5rem; }
.badge { font-size: .78rem; font-weight: 600; padding: .1rem .55rem; border-radius: 1rem;
  border: 1px solid currentColor; color: var(--warn); white-space: nowrap; }
.badge.found, .badge.already { color: var(--good); }
.badge.not_found, .badge.infeasible, .badge.failed { color: var(--bad); }
dl { display: flex; flex-wrap: wrap; gap: .6rem 1.75rem; margin: 1rem 0 1.25rem; }
dt { font-size: .8rem; color: var(--soft); }
dd { margin: 0; }
.note { color: var(--warn); }
.empty { color: var(--soft); }
.cards { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(24rem, 100%), 1fr)); }
article { position: relative; background: var(--card); border: 1px solid var(--line);
  border-radius: .6rem; padding: 1rem 1.1rem; display: flex; flex-direction: column; }
article h3 { position: absolute; top: .9rem; right: 1.1rem; margin: 0; font-size: .9rem;
  color: var(--soft); }
.sentence { margin: 0 1.5rem .8rem 0; }
article table { font-size: .92rem; width: 100%; margin-bottom: auto; table-layout: fixed; }
article th { width: 36%; }
article .arrow { width: 1.6rem; }
article th, article td { padding: .3rem .6rem .3rem 0; border-top: 1px solid var(--line);
  vertical-align: top; overflow-wrap: anywhere; }
.before { color: var(--soft); }
.arrow { color: var(--accent); }
.after { font-weight: 600; }
.meter { position: relative; height: .45rem; border-radius: .3rem; background: var(--track);
  margin: .8rem 0 .5rem; max-width: 24rem; }
.meter i { display: block; height: 100%; border-radius: .3rem; background: var(--accent); }
.meter b { position: absolute; top: -.2rem; bottom: -.2rem; width: 2px; background: var(--ink); }
.facts { margin: 0; font-size: .88rem; color: var(--soft); display: flex; flex-wrap: wrap;
  gap: .2rem 1rem; font-variant-numeric: tabular-nums; }
.facts b { color: var(--ink); font-weight: 600; }
.record { color: var(--soft); font-size: .9rem; border-top: 1px solid var(--line);
  padding-top: 1rem; }
.record summary { cursor: pointer; }
.record td, .record th { padding: .2rem 1.5rem .2rem 0; vertical-align: top;
  overflow-wrap: anywhere; }
@media print { article { break-inside: avoid; } }
"""

# A notebook's theme need not be the system's, so the colours here are the notebook's own.
FRAGMENT_STYLE = """
.ifonly { overflow-x: auto; font-size: 13px; line-height: 1.45; }
.ifonly p { margin: .6em 0 .4em; }
.ifonly table { border-collapse: collapse; margin: 0 0 1em; border: 0; font-size: inherit; }
.ifonly th, .ifonly td { background: transparent; color: inherit; text-align: left;
  padding: .25em .9em .25em 0; border: 0; border-bottom: 1px solid rgba(128, 128, 128, .3); }
.ifonly th { font-weight: 600; }
.ifonly .now th, .ifonly .now td, .ifonly .same { opacity: .65; }
"""
