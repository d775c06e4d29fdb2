/** Generated roots and generated attacks on them: commands change nothing outside or read-only, and read nothing outside. */
import fs from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import type { SandboxRoot } from '../../node/shell/sandbox/root-mounts.js'
import { temporaryDirectory } from '../node/cli/run-cli.js'
import { openSandboxed, sandboxLacks, sandboxWorks } from '../node/shell/sandbox/stage.js'

const seed = Number(process.env.POLYFS_SEED ?? 20_261)
const layoutCount = 60
const commandsEach = 4
const stepsEach = 20

/** The same numbers for the same seed. */
function generator(state: number) {
  let last = state
  const next = () => {
    last = (Math.imul(last, 1_664_525) + 1_013_904_223) >>> 0
    return last / 2 ** 32
  }
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(next() * values.length)] as Value
  return { next, pick }
}

const directories = ['a', 'a/b', 'a/b/c', 'a/b/c/d', 'a/e', 'f', 'f/g', 'f/g/h', 'out', 'out/in']

test('no generated attack on generated roots gets out', { timeout: 900_000 }, async ({ skip }) => {
  if (!sandboxWorks) skip(sandboxLacks)
  const { next, pick } = generator(seed)
  let commands = 0
  let refused = 0
  for (let at = 0; at < layoutCount; at += 1) {
    const base = fs.realpathSync(await temporaryDirectory(next() < 0.5 ? '/tmp' : undefined))
    for (const directory of directories) {
      fs.mkdirSync(join(base, directory), { recursive: true })
      fs.writeFileSync(join(base, directory, 'file'), `content of ${directory}\n`)
    }
    const wanted = directories.filter((directory) => !directory.startsWith('out') && next() < 0.5)
    const roots: SandboxRoot[] = (wanted.length > 0 ? wanted : ['a']).map((directory) => {
      return { path: join(base, directory), access: next() < 0.5 ? 'read-write' : 'read-only' }
    })
    const hidden = directories.filter(() => next() < 0.1).map((directory) => join(base, directory))
    const rightsOf = rights(base, roots, hidden)
    const before = snapshot(base, rightsOf)
    // Links to a protected directory are the best attacks.
    const leading = [...roots.map(({ path }) => path), ...hidden].map((path) => relative(base, dirname(path)))
    const places = [...directories, ...[...leading, ...leading].filter((place) => place !== '')]
    const start = roots[0]?.path ?? base
    const { bash, dispose } = await openSandboxed({ base: start, roots, hidden })
    const history: string[] = []
    try {
      for (let turn = 0; turn < commandsEach; turn += 1) {
        const attack = Array.from({ length: stepsEach }, () => step(base, places, pick)).join('\n')
        history.push(attack)
        commands += 1
        const { stdout } = await bash(`${attack}\nfind ${base} -type f -exec cat {} + 2>/dev/null`).catch((error) => {
          // Attacked roots may be refused, but never replaced by others.
          expect(['IO', 'NOT_FOUND']).toContain(error.code)
          refused += 1
          return { stdout: '' }
        })
        const seen = stdout.match(/^content of .*$/gm) ?? []
        const unreadable = seen.filter((line) => rightsOf(line.slice('content of '.length)) === 'none')
        expect(
          unreadable,
          `seed ${seed}, layout ${at}\n${describeLayout(roots, hidden)}\n${history.join('\n--\n')}`,
        ).toEqual([])
        expect(
          snapshot(base, rightsOf),
          `seed ${seed}, layout ${at}\n${describeLayout(roots, hidden)}\n${history.join('\n--\n')}`,
        ).toEqual(before)
      }
    } finally {
      await dispose()
    }
  }
  console.log(
    `sandbox: ${layoutCount} layouts, ${commands} commands of ${stepsEach} attacks, ${refused} refused, seed ${seed}`,
  )
  expect(refused).toBeLessThan(commands / 2)
})

/** One attack of a command; most fail. */
function step(base: string, places: readonly string[], pick: <Value>(values: readonly Value[]) => Value): string {
  const place = () => join(base, pick(places))
  const target = () =>
    pick([place(), '/', '/oldroot', `/oldroot${base}/out`, '../../../../../..', '..', `${place()}/new`])
  return pick([
    () => `mv ${place()} ${pick([place(), `${place()}/moved`, '/tmp/moved'])}`,
    () => `mv ${place()} ${place()}-moved`,
    () => `rm -rf ${place()}/new`,
    () => `rmdir ${place()}; ln -s ${target()} ${place()}`,
    () => `ln -sfn ${target()} ${place()}`,
    () => `mkdir -p ${place()}/new; mv -T ${place()}/new ${place()}`,
    () => `echo changed > ${place()}/file`,
    () => `echo changed > ${place()}/new-file`,
    () => `ln ${place()}/file ${place()}/hard && echo changed > ${place()}/hard`,
    () => `mv ${place()}/file ${place()}/other`,
    () => `chmod 777 ${place()} ${place()}/file`,
    () => `mount -o remount,rw,bind ${place()}; umount -l ${place()}`,
    () => `mount --bind ${target()} ${place()}`,
    () => `mkdir -p /tmp${place()}; rm -rf /tmp/*; ln -s ${target()} /tmp/${pick(['a', 'moved'])}`,
  ])()
}

type Rights = SandboxRoot['access'] | 'none'

/** By the innermost root or hidden directory that a directory lies in, as the roots were when the server started. */
function rights(base: string, roots: readonly SandboxRoot[], hidden: readonly string[]): (directory: string) => Rights {
  const marks: { path: string; access: Rights }[] = [
    ...roots,
    ...hidden.map((path) => ({ path, access: 'none' as const })),
  ]
  return (directory) => {
    const whole = join(base, directory)
    const around = marks.filter(({ path }) => whole === path || whole.startsWith(`${path}/`))
    // A directory that is both a root and hidden is hidden.
    return (
      around
        .sort((a, b) => a.path.length - b.path.length || Number(a.access === 'none') - Number(b.access === 'none'))
        .at(-1)?.access ?? 'none'
    )
  }
}

/** Everything that commands must not change. */
function snapshot(base: string, rightsOf: (directory: string) => Rights): Record<string, string> {
  const held = directories.filter((directory) => rightsOf(directory) !== 'read-write')
  return Object.fromEntries(
    held.map((directory) => {
      const whole = join(base, directory)
      const names = fs.readdirSync(whole).sort().join(' ')
      const content = fs.readFileSync(join(whole, 'file'), 'utf8')
      return [directory, `${names} ${content} ${fs.lstatSync(whole).mode}`]
    }),
  )
}

function describeLayout(roots: readonly SandboxRoot[], hidden: readonly string[]): string {
  return [...roots.map(({ path, access }) => `${access} ${path}`), ...hidden.map((path) => `hidden ${path}`)].join('\n')
}
