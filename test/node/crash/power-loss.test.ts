import { afterAll, describe, expect, test, vi } from 'vitest'
import type { Scenario } from '../../core/change/faulty-disk.js'
import { isFull, sample, scaled, stride } from '../../scale.js'
import { type DiskImage, installDisk } from './disk-model.js'

const mountPoint = '/polyfs-disk-model'
// What other suites have loaded keeps functions of the real disk, and what is loaded here those of this one.
vi.resetModules()
const disk = installDisk(mountPoint)
afterAll(() => {
  disk.uninstall()
  vi.resetModules()
})
const { doomed, encode, scenarios } = await import('../../core/change/faulty-disk.js')
const { openDisk } = await import('./disk-engine.js')
const { nodeFs } = await import('../../../node/disk/node-fs.js')

const places = { root: `${mountPoint}/root`, state: `${mountPoint}/state` }

interface Survivor {
  image: DiskImage
  /** The change had been reported as done when the power failed. */
  acknowledged: boolean
}

interface Run {
  before: string
  after: string
  operations: number
  survivors: Survivor[]
}

/** Does the scenario, and gathers what a power cut may leave at each of its operations. */
async function cutPowerIn(scenario: Scenario, fsync: boolean, random: () => number): Promise<Run> {
  const { storeWhileStagingBytes = Infinity } = scenario.options ?? {}
  const options = { fsync, anchor: 'walk', alone: true, storeWhileStagingBytes } as const
  disk.load(initialImage(scenario))
  if (scenario.prepare !== undefined) {
    const [engine, tree] = [await openDisk(places, options), nodeFs(places.root, options)]
    await scenario.prepare(engine, tree)
  }
  const before = treeOf(disk.image())
  const found = new Map<string, Survivor>()
  let operations = 0
  const gather = (acknowledged: boolean) => {
    for (const image of disk.survivors(random, scaled(12)))
      found.set(`${acknowledged} ${JSON.stringify(image)}`, { image, acknowledged })
  }
  disk.watch(() => {
    operations += 1
    gather(false)
  })
  await scenario.act(await openDisk(places, options)).catch((error) => {
    if (scenario !== doomed) throw error
  })
  disk.watch(undefined)
  gather(true)
  return { before, after: treeOf(disk.image()), operations, survivors: [...found.values()] }
}

function initialImage({ files }: Scenario): DiskImage {
  const image: DiskImage = {}
  const directory = { kind: 'directory', mode: 0o755, data: '', target: '' } as const
  image['/root'] = directory
  image['/state'] = directory
  for (const [name, content] of Object.entries(files)) {
    const components = name.split('/').filter((component) => component !== '')
    const parents = name.endsWith('/') ? components : components.slice(0, -1)
    parents.forEach((_, index) => {
      image[`/root/${parents.slice(0, index + 1).join('/')}`] = directory
    })
    if (!name.endsWith('/')) {
      image[`/root/${components.join('/')}`] = { kind: 'file', mode: 0o644, data: String(content), target: '' }
    }
  }
  return image
}

function treeOf(image: DiskImage): string {
  return JSON.stringify(Object.entries(image).filter(([at]) => at.startsWith('/root/')))
}

function leftInState(image: DiskImage): string[] {
  return Object.keys(image).filter((at) =>
    /^\/state\/(?!pending$|history($|\/\d{10}($|\/\d{15}-\d{8}-[0-9a-f]{8}$)))/.test(at),
  )
}

/** Starts the machine again on what is left of the disk. */
async function reboot(image: DiskImage): Promise<DiskImage> {
  disk.load(image)
  const engine = await openDisk(places, { anchor: 'walk', alone: true })
  await engine.changes.recover()
  return disk.image()
}

/** What is wrong with a disk after recovery, if anything. */
function faultOf(recovered: DiskImage, { before, after }: Run, acknowledged: boolean): string | undefined {
  const tree = treeOf(recovered)
  if (tree !== before && tree !== after) return 'neither old nor new'
  if (acknowledged && tree !== after) return 'an acknowledged change is lost'
  return leftInState(recovered).length > 0 ? 'something is left' : undefined
}

const numbered = [...scenarios, doomed].map((scenario, index) => [scenario.name, scenario, index + 1] as const)

describe.each(sample(numbered, { every: 2 }))('%s', (_name, scenario, seed) => {
  test('is whole after a power cut at any moment, and after a second one during recovery', async ({ annotate }) => {
    const random = seeded(seed)
    const run = await cutPowerIn(scenario, true, random)
    const faults: unknown[] = []
    const { first, step } = stride(12)
    let second = 0
    for (const [index, { image, acknowledged }] of run.survivors.entries()) {
      if ((index - first) % step !== 0) continue
      const again = new Map<string, DiskImage>()
      if (index % 12 === first) {
        disk.watch(() => {
          for (const left of disk.survivors(random, 2)) again.set(JSON.stringify(left), left)
        })
      }
      const fault = faultOf(await reboot(image), run, acknowledged)
      disk.watch(undefined)
      if (fault !== undefined) faults.push({ fault, image })
      for (const left of again.values()) {
        second += 1
        const secondFault = faultOf(await reboot(left), run, acknowledged)
        if (secondFault !== undefined) faults.push({ fault: secondFault, image, left })
      }
    }
    expect(faults).toEqual([])
    await annotate(
      `${run.operations} operations; ${run.survivors.length} disks, ${second} after a second cut; none bad`,
    )
  })
})

/** Kills the process at an operation, and starts it again: what the disk keeps in memory outlives it. */
async function killIn(
  scenario: Scenario,
  at: number,
  recovering: () => void = () => {},
): Promise<{ before: string; killed: boolean }> {
  const { storeWhileStagingBytes = Infinity } = scenario.options ?? {}
  const options = { anchor: 'walk', alone: true, storeWhileStagingBytes } as const
  disk.load(initialImage(scenario))
  if (scenario.prepare !== undefined) {
    await scenario.prepare(await openDisk(places, options), nodeFs(places.root, options))
  }
  const before = treeOf(disk.image())
  const engine = await openDisk(places, options)
  let operations = 0
  disk.watch(() => {
    operations += 1
    if (operations >= at) throw new Error('the process is dead')
  })
  await scenario.act(engine).catch(() => {})
  disk.watch(undefined)
  if (operations < at) return { before, killed: false }
  disk.watch(recovering)
  await (await openDisk(places, options)).changes.recover()
  disk.watch(undefined)
  return { before, killed: true }
}

test.for(scenarios)('what a killed process did is durable once it is recovered: $name', async (scenario) => {
  const random = seeded(7)
  const trees = new Set<string>()
  const lost: unknown[] = []
  const { first, step } = stride(4)
  for (let at = 1 + first; ; at += step) {
    const { before, killed } = await killIn(scenario, at)
    const settled = treeOf(disk.image())
    if (!killed) {
      // By default no kill may fall on the few operations after the change is certain.
      expect([before, settled]).toEqual(expect.arrayContaining([...trees]))
      if (isFull) expect(trees.size).toBe(2)
      break
    }
    trees.add(settled)
    for (const image of disk.survivors(random, 0)) {
      if (treeOf(await reboot(image)) !== settled) lost.push({ at, image })
    }
  }
  expect(lost).toEqual([])
})

test.for(sample(scenarios, { every: 2 }))(
  'a power cut while a killed process is recovered leaves old or new: $name',
  async (scenario) => {
    const random = seeded(13)
    const survivors = new Map<string, DiskImage>()
    const gather = () => {
      for (const image of disk.survivors(random, scaled(30))) survivors.set(JSON.stringify(image), image)
    }
    let ends: string[] = []
    const { first, step } = stride(3)
    for (let at = 1 + first; ends.length === 0; at += step) {
      const { before, killed } = await killIn(scenario, at, gather)
      if (!killed) ends = [before, treeOf(disk.image())]
    }
    const faults: unknown[] = []
    for (const image of survivors.values()) {
      const tree = treeOf(await reboot(image))
      if (!ends.includes(tree)) faults.push({ image, tree })
    }
    expect(faults).toEqual([])
  },
)

test('changes of one file that follow each other are all in the history, whenever the power goes', async () => {
  const options = { anchor: 'walk', alone: true } as const
  disk.load(initialImage({ name: '', files: { 'a.txt': '0' }, act: async () => {} }))
  const { changes } = await openDisk(places, options)
  const random = seeded(11)
  const survivors = new Map<string, { image: DiskImage; acknowledged: number }>()
  let acknowledged = 0
  const gather = () => {
    for (const image of disk.survivors(random, 12)) {
      survivors.set(`${acknowledged} ${JSON.stringify(image)}`, { image, acknowledged })
    }
  }
  disk.watch(gather)
  for (const text of ['1', '2', '3']) {
    await changes.run({ label: text, scopes: [{ path: '/a.txt' }] }, (draft) => draft.write('/a.txt', encode(text)))
    acknowledged += 1
    gather()
  }
  disk.watch(undefined)

  const faults: unknown[] = []
  for (const { image, acknowledged: least } of survivors.values()) {
    disk.load(image)
    const engine = await openDisk(places, options)
    await engine.changes.recover()
    const content = disk.image()['/root/a.txt']?.data
    const labels = (await engine.changes.journal.history()).map(({ label }) => label)
    const isWhole = content === (labels.at(-1) ?? '0') && labels.length >= least
    if (!isWhole || labels.join() !== ['1', '2', '3'].slice(0, labels.length).join()) {
      faults.push({ content, labels, least, image })
    }
  }
  expect(survivors.size).toBeGreaterThan(30)
  expect(faults).toEqual([])
})

test('records that were dropped from the history may come back after a power cut, and are dropped again', async () => {
  const options = { anchor: 'walk', alone: true } as const
  disk.load(initialImage({ name: '', files: { 'a.txt': '0' }, act: async () => {} }))
  const { changes } = await openDisk(places, options)
  for (const text of ['1', '2', '3']) {
    await changes.run({ label: 'write', scopes: [{ path: '/a.txt' }] }, (draft) => draft.write('/a.txt', encode(text)))
  }
  const random = seeded(3)
  const survivors = new Map<string, DiskImage>()
  const gather = () => {
    for (const image of disk.survivors(random, 4)) survivors.set(JSON.stringify(image), image)
  }
  disk.watch(gather)
  const none = { maxBytes: 0, oldestMs: 0 }
  expect(await changes.journal.prune(none)).toBe(0)
  disk.watch(undefined)
  gather()
  const cameBack = new Set<number>()
  for (const image of survivors.values()) {
    expect(treeOf(await reboot(image))).toBe(treeOf(image))
    const { journal } = (await openDisk(places, options)).changes
    cameBack.add((await journal.history()).length)
    expect(await journal.prune(none)).toBe(0)
    expect(await journal.history()).toEqual([])
  }
  expect([...cameBack].sort()).toEqual([0, 1, 2, 3])
})

test('without flushing, the same power cuts do leave changes half done or lost', async ({ annotate }) => {
  const counts: Record<string, number> = {}
  let disks = 0
  for (const [index, scenario] of scenarios.entries()) {
    const run = await cutPowerIn(scenario, false, seeded(index + 1))
    for (const [turn, { image, acknowledged }] of run.survivors.entries()) {
      if (!acknowledged && turn % 20 > 0) continue
      disks += 1
      const fault = await reboot(image).then(
        (recovered) => faultOf(recovered, run, acknowledged),
        () => 'no recovery',
      )
      if (fault !== undefined) counts[fault] = (counts[fault] ?? 0) + 1
    }
  }
  expect(counts['neither old nor new']).toBeGreaterThan(0)
  expect(counts['an acknowledged change is lost']).toBeGreaterThan(0)
  await annotate(`${disks} disks; ${JSON.stringify(counts)}`)
})

/** Numbers from 0 to 1, the same in every run. */
function seeded(seed: number): () => number {
  let state = seed * 7_919
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}
