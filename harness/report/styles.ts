/** The style sheet of the report. Its hash is in the page's content security policy, so a page can't contain another. */
export const styles = `
:root { color-scheme: light dark; --ink: #1d2329; --soft: #66707a; --line: #d9dee3; --back: #fff; --accent: #2563a8; --other: #b3541e }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --soft: #9aa4ae; --line: #3a424a; --back: #16191c; --accent: #6fa8e8; --other: #e39a6b } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back); max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
h1, h2, td { overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100% }
th { text-align: left; font-weight: 600; color: var(--soft) }
th, td { padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
table.facts { width: auto } table.facts td:first-child { color: var(--soft); white-space: nowrap }
.note, em { color: var(--soft) } em { font-style: normal; border: 1px solid var(--line); border-radius: 3px; padding: 0 .3em }
svg { max-width: 100%; height: auto } svg.bar { height: 16px; max-width: none }
svg text { fill: var(--soft); font-size: 11px }
.scale { stroke: var(--line) } .zero { stroke: var(--soft) }
.interval { stroke: var(--accent); stroke-width: 3; stroke-linecap: round; opacity: .5 } .value { fill: var(--accent) }
polyline { fill: none; stroke-width: 2 }
polyline.line-0 { stroke: var(--accent) } circle.line-0, svg text.line-0 { fill: var(--accent) }
polyline.line-1 { stroke: var(--other) } circle.line-1, svg text.line-1 { fill: var(--other) }
details { margin: 1rem 0 } summary { cursor: pointer }
`
