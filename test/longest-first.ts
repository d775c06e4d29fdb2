import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Suites that take long, the longest first. Started last, one of them would keep a single worker busy while the others wait. */
const long = [
  'core/change/faults',
  'node/contract',
  'archive/operations',
  'node/search-parity',
  'core/contract',
  'web/playground.e2e',
  'web/playground-access.e2e',
  'node/emulated-escapes',
  'node/race',
  'node/package',
  'node/crash/power-loss',
  'core/change/undo-property',
  'node/crash/crash',
  'node/server-kill',
  'dialects/polyfs-budget',
  'node/protocol',
  'node/parallel-edits',
  'node/vectors-stdio',
  'node/git/property',
  'web/playground-panels.e2e',
  'web/playground-lasting.e2e',
  'web/local-directory.e2e',
  'node/cli-memory',
  'node/git/hostile',
  'node/interop',
  'node/polyfs-protocol',
  'dialects/matrix',
  'node/attacks',
  'node/cli',
  'node/git/operations',
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
