/**
 * The one style sheet. Notices on warm paper: rules instead of shadows, serif titles, system fonts only. Colour never
 * speaks alone: each kind has its word beside it. Both schemes and every pair of colours meet WCAG AA.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fbf8f1, #14161a);
  --card: light-dark(#fffdf8, #1b1e24);
  --ink: light-dark(#1d1b16, #ece8df);
  --mute: light-dark(#5f594c, #a9a397);
  --line: light-dark(#ddd5c3, #343841);
  --pin: light-dark(#a83a1e, #f0916f);
  --link: light-dark(#1b4f8f, #8dbcf2);
  --focus: light-dark(#1b4f8f, #ffd166);
  --good: light-dark(#1d6a3f, #7fd0a1);
  --mark: light-dark(#fbe7a1, #5a4a12);
  --event: light-dark(#7a2e8a, #d79be4);
  --offer: light-dark(#1d6a3f, #7fd0a1);
  --request: light-dark(#8a4b00, #f0b768);
  --announcement: light-dark(#1b4f8f, #8dbcf2);
  --thread: light-dark(#4a4f57, #b9c0ca);
  --serif: "Iowan Old Style", "Palatino Linotype", Palatino, Georgia, "Noto Serif", "DejaVu Serif", serif;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  accent-color: var(--pin);
}
:root[data-theme="light"], :root:not([data-theme]):has([name="theme"][value="light"]:checked) { color-scheme: light; }
:root[data-theme="dark"], :root:not([data-theme]):has([name="theme"][value="dark"]:checked) { color-scheme: dark; }

*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
.frame { max-width: 68rem; margin-inline: auto; padding-inline: 1rem; }
h1, h2, h3, .brand { font-family: var(--serif); line-height: 1.2; text-wrap: balance; margin: 0; }
h1 { font-size: clamp(1.7rem, 1.2rem + 2.2vw, 2.4rem); letter-spacing: -0.01em; }
h2 { font-size: 1.3rem; margin-block: 1.5rem 0.5rem; }
h3 { font-size: 1.1rem; }
p { margin-block: 0.5rem; max-width: 62ch; }
a { color: var(--link); text-underline-offset: 0.15em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 2px; }
.skip { position: absolute; inset-inline-start: -999rem; background: var(--card); padding: 0.75rem 1rem; z-index: 1; }
.skip:focus { inset-inline-start: 0.5rem; top: 0.5rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
code, pre, .id, .number { font-family: var(--mono); font-variant-numeric: tabular-nums; }
code { font-size: 0.9em; }
mark { background: var(--mark); color: inherit; padding-inline: 0.15em; }
ul.inline, nav ul, .chips { list-style: none; display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 0; padding: 0; }
ul.inline a, nav a { display: inline-block; padding-block: 0.25rem; }
.mute { color: var(--mute); }
.small { font-size: 0.875rem; }

.masthead { border-bottom: 4px double var(--line); }
.masthead .frame { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 1.5rem; padding-block: 0.75rem; }
.brand { font-size: 1.35rem; font-weight: 700; color: var(--ink); text-decoration: none; }
.brand b { color: var(--pin); }
nav [aria-current] { color: var(--ink); font-weight: 700; text-decoration: none; border-bottom: 2px solid var(--pin); }
main { padding-block: 1.5rem 3rem; }
footer { border-top: 4px double var(--line); color: var(--mute); font-size: 0.9rem; }
footer .frame { padding-block: 1.25rem 2.5rem; display: grid; gap: 0.5rem; }
footer p { margin: 0; }
.theme { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: center; }
.theme legend { float: left; padding: 0; margin-inline-end: 1rem; }
.theme label { display: inline-flex; gap: 0.35rem; align-items: center; min-height: 1.75rem; }

.columns { display: grid; grid-template-columns: minmax(0, 1fr) 17rem; gap: 1rem 2.5rem; align-items: start; margin-top: 1.25rem; }
@media (max-width: 56rem) { .columns { grid-template-columns: minmax(0, 1fr); } }
.columns > * { min-width: 0; }
main > .columns:first-child { margin-top: 0; }
@media (min-width: 56.01rem) { .columns > .first { grid-column: 2; grid-row: 1; } .narrow-only { display: none; } }
.wide > h2:first-child, .wide > section:first-child > h2 { margin-top: 0; }
aside section { border-top: 1px solid var(--line); padding-block: 1rem 1.25rem; }
aside section:first-child { padding-top: 0.75rem; }
aside h2 { font-size: 1.05rem; margin: 0 0 0.5rem; }

.lead { font-size: 1.1rem; color: var(--mute); margin-block: 0.5rem 1.25rem; }
.search { display: flex; gap: 0.5rem; margin-block: 1rem; }
input, select, textarea, button { font: inherit; color: inherit; }
input:not([type="radio"], [type="checkbox"]), select, textarea {
  min-height: 2.75rem; width: 100%; padding: 0.4rem 0.7rem; background: var(--card);
  border: 1px solid var(--mute); border-radius: 3px; }
.search input { font-size: 1.05rem; flex: 1; min-width: 0; }
::placeholder { color: var(--mute); opacity: 1; }
button, .button { min-height: 2.75rem; padding: 0.4rem 1.1rem; border: 1px solid var(--ink); border-radius: 3px; background: var(--ink); color: var(--paper); font-weight: 600; cursor: pointer; }
.button { display: inline-flex; align-items: center; text-decoration: none; }
.quiet.quiet { background: none; color: var(--link); border-color: var(--line); }
button:hover, .button:hover { border-color: var(--pin); }
.chips { gap: 0.5rem; margin-block: 0.75rem; }
.chips .k-event, .chips .k-offer, .chips .k-request, .chips .k-announcement, .chips .k-thread { color: var(--k); }
.chips a { display: inline-flex; align-items: center; gap: 0.35rem; min-height: 1.75rem; padding: 0.1rem 0.75rem; border: 1px solid currentColor; border-radius: 1rem; text-decoration: none; font-size: 0.9rem; }
.chips a:hover { background: var(--card); text-decoration: underline; }
.chips a[aria-current] { background: var(--ink); border-color: var(--ink); color: var(--paper); }
.chips .number { font-size: 0.8rem; }
.counts { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: 0.75rem 1.5rem; margin: 1.25rem 0 1.75rem; padding-block: 0.9rem; border-block: 1px solid var(--line); }
.counts dt { color: var(--mute); font-size: 0.875rem; }
.counts dd { margin: 0; font-size: 1.45rem; font-weight: 700; }
.counts .day { font-size: 1.1rem; }

.near, .steps { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; }
.near input { flex: 1; }
.on > h2 { display: flex; justify-content: space-between; margin-block: 1rem 0.25rem; }
.briefs { list-style: none; margin: 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 0 1.5rem; }
.briefs li { padding: 0.4rem 0 0.4rem 0.7rem; border-inline-start: 3px solid var(--k); margin-block: 0.3rem; }

.slips { list-style: none; margin: 0; padding: 0; }
.slip { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: 0 1rem; padding-block: 1rem; border-top: 1px solid var(--line); scroll-margin-top: 1rem; }
.slips > .slip:first-child { border-top: 0; padding-top: 0.5rem; }
.slip:target { background: var(--card); outline: 2px solid var(--pin); outline-offset: 4px; }
.stub { margin: 0; color: var(--mute); font-size: 0.8rem; line-height: 1.35; }
.stub b { display: block; font-family: var(--serif); font-size: 1.6rem; line-height: 1.15; color: var(--ink); font-variant-numeric: tabular-nums; }
.stub b.long { font-size: 1.15rem; }
.slip h3 a, .briefs h3 a { text-decoration: none; }
.slip h3 a:hover, .briefs h3 a:hover { text-decoration: underline; }
.slip h3, .briefs h3 { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 4; overflow: hidden; }
.slip h3 a:focus-visible { outline-offset: -3px; }
.briefs h3 { font-size: 1.05rem; -webkit-line-clamp: 2; }
.facts { display: flex; flex-wrap: wrap; align-items: center; gap: 0.15rem 0.75rem; margin: 0.3rem 0; color: var(--mute); font-size: 0.875rem; max-width: none; }
.when-where { font-size: 1.05rem; margin: -0.35rem 0 0.75rem; }
.facts .hours { color: var(--ink); font-variant-numeric: tabular-nums; }
.facts .id, .facts .number { font-size: 0.8125rem; }
.snippet { margin: 0.25rem 0 0; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
.kind { display: inline-block; padding: 0 0.6rem; border: 1px solid currentColor; border-radius: 1rem; font-size: 0.8125rem; line-height: 1.5rem; color: var(--k, var(--mute)); }
.k-event { --k: var(--event); } .k-offer { --k: var(--offer); } .k-request { --k: var(--request); }
.k-announcement { --k: var(--announcement); } .k-thread { --k: var(--thread); }
.verified { color: var(--good); white-space: nowrap; }
.warning { color: var(--pin); }

.sheet { background: var(--card); border: 1px solid var(--line); border-top: 6px solid var(--k, var(--ink)); margin-bottom: 1.75rem; }
.sheet-body { padding: 1.25rem clamp(1rem, 3vw, 1.75rem) 1.5rem; }
.sheet h1 { margin-block: 0.5rem 0.9rem; }
.sheet h1.long { font-size: clamp(1.1rem, 0.9rem + 1vw, 1.7rem); }
.sheet .prose { font-size: 1.06rem; }
.sheet .dated { display: grid; grid-template-columns: 7.25rem minmax(0, 1fr); gap: 0 1.5rem; }
.sheet .dated > .stub { font-size: 0.95rem; border-inline-end: 1px solid var(--line); }
.sheet .dated > .stub b { font-size: 3rem; line-height: 1; color: var(--k); }
.forms { margin-top: 2rem; }
.prose { white-space: pre-line; max-width: 62ch; }
.tags { margin-top: 1.25rem; }
.notice { border-inline-start: 4px solid var(--pin); background: var(--card); padding: 0.6rem 1rem; margin-block: 0 1.25rem; max-width: 62ch; }
.notice p { margin-block: 0.25rem; }
.replies .slip { scroll-margin-top: 1rem; }
.relax { list-style: none; margin: 1rem 0; padding: 0; max-width: 34rem; }
.relax a { display: flex; justify-content: space-between; gap: 1rem; padding-block: 0.6rem; border-bottom: 1px solid var(--line); }
.relax li:first-child a { border-top: 1px solid var(--line); }
.panel, .docs section { border-top: 1px solid var(--line); margin-top: 2rem; scroll-margin-top: 1rem; }
.wide > .panel:first-child { border-top: 0; margin-top: 0; }

.fields { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.75rem; max-width: 34rem; }
.fields p { margin: 0; }
.fields label { display: block; margin-bottom: 0.2rem; }
.fields .check { display: flex; gap: 0.6rem; align-items: center; min-height: 2.75rem; margin: 0; }
.check input { width: 1.15rem; height: 1.15rem; flex: none; }
.fields .check + .check { margin-top: -0.5rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.75rem 0.5rem; }
.month { table-layout: fixed; margin-block: 0.5rem 1.5rem; max-width: 34rem; }
.month th, .month td { padding: 0; text-align: center; height: 2.75rem; vertical-align: middle; font-variant-numeric: tabular-nums; }
.month td { color: var(--mute); }
.month td[aria-current] { outline: 2px solid var(--pin); outline-offset: -2px; }
.month a { display: flex; flex-direction: column; justify-content: center; min-height: 2.75rem; line-height: 1.1; font-weight: 700; background: var(--card); text-decoration: none; }
.month a:hover { text-decoration: underline; }
.month a .number { font-size: 0.75rem; font-weight: 400; color: var(--mute); }
.agenda { list-style: none; margin: 0; padding: 0; }
.agenda li { padding-block: 0.35rem; border-top: 1px solid var(--line); }
.day { scroll-margin-top: 1rem; }
.day:target h2 { color: var(--pin); }
.pages { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-block: 1.5rem; max-width: none; }

pre { background: var(--card); border: 1px solid var(--line); border-radius: 3px; padding: 0.75rem 0.9rem; overflow-x: auto; font-size: 0.85rem; line-height: 1.5; margin: 0.5rem 0; }
aside pre, .docs pre:not(.copy) { white-space: pre-wrap; }
pre.copy:has(+ .copy-button) { margin-bottom: 0; border-end-start-radius: 0; }
.copy-button { display: block; min-height: 1.75rem; margin: -1px 0 0.75rem; padding: 0 0.8rem; border-color: var(--line); border-radius: 0 0 3px 3px; background: var(--card); color: var(--link); font-size: 0.8125rem; font-weight: 400; }
.copy-button:hover { text-decoration: underline; }
details { border-top: 1px solid var(--line); padding-block: 0.25rem; }
summary { cursor: pointer; padding-block: 0.5rem; min-height: 1.5rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: start; vertical-align: top; padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); }
td.number, th.number { text-align: end; }
.docs td:first-child { width: 15rem; }
@media (max-width: 36rem) { .docs thead, .docs td:empty { display: none; } .docs tr, .docs td, .docs td:first-child { display: block; width: auto; border: 0; padding: 0.1rem 0; } .docs tr { border-bottom: 1px solid var(--line); padding: 0.4rem 0; } .docs td:first-child:nth-last-child(3), .docs td:nth-child(2):nth-last-child(2) { display: inline-block; padding-inline-end: 0.75rem; } }
.guide { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: 0 2.5rem; align-items: start; }
.guide > nav { position: sticky; top: 1rem; border-inline-end: 1px solid var(--line); }
.guide > nav ul { flex-direction: column; }
.calls { margin: 0.5rem 0; padding: 0; list-style: none; }
.calls li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; padding-block: 0.3rem; border-top: 1px solid var(--line); scroll-margin-top: 1rem; }
.calls li:target { background: var(--card); outline: 2px solid var(--pin); outline-offset: 2px; }
@media (max-width: 56rem) { .guide { grid-template-columns: minmax(0, 1fr); } .guide > nav { position: static; border: 0; border-bottom: 1px solid var(--line); margin-bottom: 1.25rem; padding-bottom: 0.75rem; } .guide > nav ul { flex-direction: row; } }
figure { margin: 0; }
figcaption { color: var(--mute); font-size: 0.85rem; margin-top: 0.35rem; }
svg { display: block; width: 100%; height: auto; }
svg text { font: 11px var(--mono); fill: var(--mute); }
.chart { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 0.6rem; margin-block: 1rem 0.6rem; }
.chart svg { height: 10rem; overflow: visible; }
.chart .grid { stroke: var(--line); } .chart .bar { fill: var(--pin); }
.chart path { vector-effect: non-scaling-stroke; }
.chart .scale, .chart .days { display: flex; justify-content: space-between; font: 0.8rem/1 var(--mono); color: var(--mute); }
.chart .scale { flex-direction: column; text-align: end; margin-block: -0.4rem; }
.chart .days, .chart figcaption { grid-column: 2; margin-top: 0.5rem; }
.map .ground { fill: var(--card); stroke: var(--line); }
.map .ring { fill: none; stroke: var(--line); stroke-width: 1.25; }
.map text { paint-order: stroke; stroke: var(--card); stroke-width: 3px; }
.map .centre { stroke: var(--mute); stroke-width: 1.25; }
.map .dot { fill: var(--k, var(--ink)); stroke: var(--card); stroke-width: 1.5; }
.map .dot-count { stroke: none; fill: var(--paper); font-weight: 700; text-anchor: middle; dominant-baseline: central; }
.map a:focus-visible { outline: none; }
.map a:focus-visible .dot { stroke: var(--focus); stroke-width: 4; }

@media (max-width: 30rem) {
  .slip { grid-template-columns: minmax(0, 1fr); }
  .stub { display: flex; gap: 0.4rem; align-items: baseline; margin-bottom: 0.15rem; }
  .stub b, .stub b.long { display: inline; font-size: 1.1rem; }
  .sheet .facts .id { display: none; }
  .sheet .dated { grid-template-columns: minmax(0, 1fr); }
  .sheet .dated > .stub { border: 0; margin-bottom: 0.5rem; }
  .sheet .dated > .stub b { font-size: 1.8rem; }
}
@media (prefers-reduced-motion: no-preference) { :root:has(:target) { scroll-behavior: smooth; } }
@media (forced-colors: active) {
  .map .dot, .chart .bar { fill: LinkText; } .map .dot-count { stroke: none; fill: Canvas; } .map .ring { stroke: GrayText; } .map .ground { fill: Canvas; } svg text { fill: CanvasText; stroke: none; }
  button, .button, .chips a[aria-current] { color: ButtonText; background: ButtonFace; border-color: ButtonText; }
  .chips a[aria-current] { border-width: 3px; }
}
@media print {
  :root { color-scheme: light; }
  nav, ul.forms, .search, .near, .chips, .theme, .fields, .skip, .pages, .copy-button, .screen { display: none; }
  .columns, .guide { display: block; } .sheet { border-width: 6px 0 0; }
  .slip, .sheet { break-inside: avoid; }
  .source a[href^="http"]::after { content: " (" attr(href) ")"; font-size: 0.85em; }
  body { font-size: 11pt; }
}
`;
