/** Which suites a run of `test/run.mjs` has, by its size. How much each suite does is up to `scale.ts`. */
import { mix } from './mix.mjs'

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

/**
 * What every second run of `npm test` has, by its seed: suites that take seconds for what shorter ones test as well. None of them is the
 * only one that compares a fast way with a plain one.
 */
export const inTurn = [
  'test/core/archive/corpus.test.ts',
  'test/core/change/{faults,key-value-crash,many-files,sqlite-crash}.test.ts',
  'test/core/fs/{key-value-failures,key-value-repeated,sqlite-attack}.test.ts',
  'test/core/{many-small-files,text/calendar}.test.ts',
  'test/models/model-fetch.test.ts',
  'test/node/attacks/{fuzz,race,resources}.test.ts',
  'test/node/crash/{crash,kill,parallel,power-loss}.test.ts',
  'test/node/disk/{deep-paths,durability,large-files}.test.ts',
  'test/node/git/{bombs,file-directory-conflicts,hostile,refs,under-way}.test.ts',
  'test/node/locks/{file-lock,locks-between-servers,parallel-edits}.test.ts',
  'test/node/serve/{interop,no-stale-reads-of-stores}.test.ts',
  'test/node/state/{planted-state,purge,server-kill}.test.ts',
  'test/node/ui/{asking-model,cli-ui}.test.ts',
  'test/node/workspace/{hostile-s3,sqlite-file,store,write-protected}.test.ts',
  'test/project/run.test.ts',
  'test/tools/absurd-arguments.test.ts',
  'test/web/fs-access/local-directory.e2e.test.ts',
  'test/web/playground/{agent,clone,lasting,panels,terminal,ui}.e2e.test.ts',
].flatMap(alternatives)

/** Those of them that a run leaves to others. */
export function leftToOthers(seed) {
  return inTurn.filter((_, number) => mix(seed, number) % 2 === 1)
}

/** `a/{b,c}.ts` is `a/b.ts` and `a/c.ts`. */
function alternatives(pattern) {
  const [, before, names, after] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? []
  return names === undefined ? [pattern] : names.split(',').map((name) => before + name + after)
}

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
