/** Which suites a run of `test/run.mjs` has, by its size. How much each suite does is up to `scale.ts`. */

/** What `--quick` runs, of the project `node`. */
export const quickSuites = [
  'test/agent/',
  'test/architecture',
  'test/core/',
  'test/dialects/',
  'test/models/',
  'test/tools/',
]

/** What `npm test` leaves to `--full`: programs of this repository, other hosts and stores, and long proofs of what shorter suites test too. */
export const leftToFull = [
  'test/conformance/**',
  'test/node/crash/{sqlite-kill,sqlite-power-loss,store-kill}.test.ts',
  'test/node/eval/kill.test.ts',
  'test/node/eval/{python,queue*}.test.ts',
  'test/node/git/large.test.ts',
  'test/node/macos/**',
  'test/node/serve/balancer.test.ts',
  'test/project/compare*.test.ts',
  'test/project/distribution.test.ts',
  'test/web/built/clone.e2e.test.ts',
  'test/web/engine/{determinism,emulated-shell}.browser.test.ts',
  'test/web/opfs/search-parity.browser.test.ts',
  'test/web/playground/{accessibility,typing}.e2e.test.ts',
  'test/workers/**',
]

/** What `--quick` leaves out of its suites: long ones, and those about what fewer changes touch. */
export const leftToDefault = [
  'test/core/archive/**',
  'test/core/change/*crash*',
  'test/core/change/faults.test.ts',
  'test/core/fs/{key-value,pack,sqlite}*.test.ts',
  'test/dialects/matrix-*',
  'test/dialects/polyfs/{cursors,mistakes,protocol}.test.ts',
  'test/tools/absurd-arguments.test.ts',
]
