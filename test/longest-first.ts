import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Suites that take long, the longest first. Started last, one of them would keep a single worker busy while the others wait. */
const long = [
  'node/crash/crash',
  'node/contract',
  'core/change/faults',
  'node/server-kill',
  'node/vectors-stdio',
  'node/search-parity',
  'node/emulated-escapes',
  'core/contract',
  'web/playground.e2e',
  'web/playground-access.e2e',
  'node/package',
  'node/race',
  'node/crash/power-loss',
  'node/parallel-edits',
  'conformance/conformance',
  'dialects/matrix',
  'archive/operations',
  'node/emulated-memory',
  'node/crash/kill',
  'node/attacks',
  'core/change/undo-property',
  'node/search-redos',
  'node/git/property',
  'node/protocol',
  'web/local-directory.e2e',
  'web/playground-panels.e2e',
  'web/playground-lasting.e2e',
  'core/attacks',
  'node/run',
  'node/walk-pool',
  'node/interop',
  'node/cli-memory',
  'node/polyfs-protocol',
]

/** Starts long suites before short ones; the others in vitest's own order. */
export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications)
    return sorted.sort((a, b) => place(a) - place(b))
  }
}

function place({ moduleId }: TestSpecification): number {
  const at = long.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return at < 0 ? long.length : at
}
