import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Long suites, the longest first. Started last, one of them would leave the other workers idle. */
const long = [
  'node/crash/crash',
  'node/disk/contract',
  'core/change/faults',
  'node/state/server-kill',
  'node/serve/vectors-stdio',
  'node/threads/search-parity',
  'bash/emulated-escapes',
  'core/fs/contract',
  'web/playground/playground.e2e',
  'web/playground/accessibility.e2e',
  'project/package',
  'node/attacks/race',
  'node/crash/power-loss',
  'node/locks/parallel-edits',
  'conformance/conformance',
  'dialects/matrix',
  'core/archive/operations',
  'bash/emulated-memory',
  'node/crash/kill',
  'node/attacks/attacks',
  'core/change/undo-property',
  'node/threads/search-redos',
  'node/git/property',
  'node/serve/protocol',
  'web/fs-access/local-directory.e2e',
  'web/playground/panels.e2e',
  'web/playground/lasting.e2e',
  'core/fs/attacks',
  'project/run',
  'node/threads/walk-pool',
  'node/serve/interop',
  'node/cli/memory',
  'dialects/polyfs/protocol',
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
