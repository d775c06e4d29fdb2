/** Purged content is in no file of the state directory, and no call reaches that directory, however it is named. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type DirectoryWorkspace, openDirectories } from '../../node/workspace/directory-workspace.js'
import { tools } from '../../src/dialects/tool-definitions.js'
import { purgeHistory } from '../../src/ops/history/purge-history.js'
import { type Random, randomFrom } from '../core/search/generated-trees.js'

const sequences = Number(process.env.POLYFS_TORTURE_SEQUENCES ?? 40)
const firstSeed = Number(process.env.POLYFS_TORTURE_SEED ?? 1)
const steps = 25
const names = ['a.txt', 'b.txt', 'c.txt', 'd/a.txt', 'd/b.txt', 'e/f/a.txt']

async function opened<Result>(run: (root: string, state: string, workspace: DirectoryWorkspace) => Promise<Result>) {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-torture-')))
  const state = path.join(root, '.local/state')
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], {
    stateDirectory: state,
    fsync: false,
    searchThreads: 0,
  })
  try {
    return await run(root, state, workspace)
  } finally {
    workspace.close()
    fs.rmSync(root, { recursive: true, force: true })
  }
}

function filesIn(directory: string): string[] {
  return fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
}

/** Each content is a unique word that is written once. */
function model() {
  /** All contents that were ever at a path, and at earlier paths of the same file. */
  const ever = new Map<string, Set<string>>()
  const now = new Map<string, string>()
  let count = 0
  return {
    now,
    ever: (name: string) => ever.get(name) ?? new Set<string>(),
    fresh: () => `content-${(count += 1)}-of-this-sequence;`,
    put(name: string, content: string, before: Iterable<string> = []) {
      ever.set(name, new Set([...(ever.get(name) ?? []), ...before, content]))
      now.set(name, content)
    },
  }
}

async function step(random: Random, files: ReturnType<typeof model>, { callText }: ReturnType<typeof tools>) {
  const pick = () => names[random(names.length)] as string
  const [one, other] = [pick(), pick()]
  const content = files.now.get(one)
  const kind = random(8)
  if (kind === 0 && content !== undefined) {
    await callText('delete', { path: one })
    files.now.delete(one)
  } else if (kind === 1 && content !== undefined && one !== other) {
    await callText('move', { source: one, destination: other, overwrite: true })
    files.now.delete(one)
    files.put(other, content, files.ever(one))
  } else if (kind === 2 && content !== undefined && !files.now.has(other)) {
    await callText('copy', { source: one, destination: other })
    files.put(other, content)
  } else if (kind === 3 && content !== undefined) {
    const fresh = files.fresh()
    await callText('edit_file', { path: one, old_string: content, new_string: fresh })
    files.put(one, fresh)
  } else if (kind === 4) {
    const fresh = files.fresh()
    await callText('bash', { command: `mkdir -p d e/f; printf '%s' '${fresh}' > ${one}` })
    files.put(one, fresh)
  } else {
    const wanted = [...new Set(kind === 5 ? [one, other] : [one])].map((name) => ({
      path: name,
      content: files.fresh(),
    }))
    await callText('write_file', { files: wanted, parents: true })
    for (const written of wanted) files.put(written.path, written.content)
  }
}

test('no file of the state directory holds content that was ever at a purged path', {
  timeout: 600_000,
}, async () => {
  let [changes, contents, purged] = [0, 0, 0]
  for (let seed = firstSeed; seed < firstSeed + sequences; seed += 1) {
    await opened(async (root, state, workspace) => {
      const random = randomFrom(seed)
      const files = model()
      const set = tools(workspace)
      for (let at = 0; at < steps; at += 1) await step(random, files, set)
      const name = names[random(names.length)] as string
      const before = new Map(files.now)
      changes += (await workspace.history.list()).length
      const gone = await purgeHistory.run({ path: name, outputDirectories: [], dryRun: false }, workspace, {})
      purged += gone.length
      const stored = filesIn(state)
        .map((file) => fs.readFileSync(file, 'latin1'))
        .join('\n')
      const left = [...files.ever(name)].filter((content) => stored.includes(content))
      contents += files.ever(name).size
      expect({ seed, name, left }).toEqual({ seed, name, left: [] })
      for (const [file, content] of before) expect(fs.readFileSync(path.join(root, file), 'utf8')).toBe(content)
    })
  }
  console.log(
    `purge: seeds ${firstSeed}..${firstSeed + sequences - 1}, ${changes} changes, ${purged} purged, ${contents} contents looked for`,
  )
})

/** Spellings of the same path. */
function spelt(random: Random, state: string, root: string): string {
  const inner = path.relative(root, state)
  const forms = [
    state,
    inner,
    `./${inner}`,
    `project/../${inner}`,
    `project/link`,
    `project/up/${inner}`,
    `${root}//${inner}`,
    inner.split('/').join('/./'),
    `${inner}/../${path.basename(inner)}`,
    `project/link/../${path.basename(inner)}`,
    `.local/link`,
  ]
  const below = [
    '',
    '',
    'other-root',
    'other-root/record',
    'other-root/new',
    'key',
    '..',
    'other-root/../other-root/record',
  ]
  const end = below[random(below.length)] as string
  return `${forms[random(forms.length)]}${end === '' ? '' : '/'}${end}`
}

test('no call reads, lists or changes the state directory, however it is named', { timeout: 600_000 }, async () => {
  const secret = 'what-a-journal-holds'
  let calls = 0
  await opened(async (root, state, workspace) => {
    fs.mkdirSync(path.join(state, 'other-root'), { mode: 0o700 })
    fs.writeFileSync(path.join(state, 'other-root/record'), secret)
    fs.mkdirSync(path.join(root, 'project'))
    fs.writeFileSync(path.join(root, 'project/a.txt'), 'plain')
    fs.symlinkSync(state, path.join(root, 'project/link'))
    fs.symlinkSync('..', path.join(root, 'project/up'))
    fs.symlinkSync('state', path.join(root, '.local/link'))
    const { call } = tools(workspace)
    const before = filesIn(path.join(state, 'other-root'))
    const random = randomFrom(firstSeed)
    for (let at = 0; at < sequences * 50; at += 1) {
      const target = spelt(random, state, root)
      const choices: [string, object][] = [
        ['read_file', { path: target }],
        ['file_info', { path: target }],
        ['list_dir', { path: target, depth: 5, ignored: true }],
        ['glob', { pattern: '**/*', path: target, ignored: true }],
        ['glob', { pattern: `${target}/**`, ignored: true }],
        ['grep', { pattern: 'journal', path: target, ignored: true }],
        ['write_file', { path: target, content: 'planted', parents: true }],
        ['edit_file', { path: target, old_string: secret, new_string: 'planted' }],
        ['move', { source: target, destination: `project/m${at}` }],
        ['move', { source: 'project/a.txt', destination: target, overwrite: true }],
        ['copy', { source: target, destination: `project/c${at}` }],
        ['delete', { path: target, recursive: true }],
        ['make_dir', { path: target }],
        ['archive', { action: 'create', path: `project/${at}.zip`, paths: [target], ignored: true }],
        ['git', { action: 'init', path: target }],
      ]
      const [tool, args] = choices[random(choices.length)] as [string, object]
      const answer = JSON.stringify((await call(tool, args)).content)
      calls += 1
      expect(answer, `${tool} ${JSON.stringify(args)}`).not.toContain(secret)
      // A link in the tree may be moved, copied or deleted as the link it is.
      for (const [link, target] of [
        ['project/link', state],
        ['.local/link', 'state'],
        ['project/up', '..'],
      ] as const) {
        if (!fs.existsSync(path.join(root, link))) fs.symlinkSync(target, path.join(root, link))
      }
      if (!fs.existsSync(path.join(root, 'project/a.txt'))) fs.writeFileSync(path.join(root, 'project/a.txt'), 'plain')
    }
    expect(filesIn(path.join(state, 'other-root'))).toEqual(before)
    expect(fs.readFileSync(path.join(state, 'other-root/record'), 'utf8')).toBe(secret)
    const elsewhere = filesIn(path.join(root, 'project')).filter((file) =>
      fs.readFileSync(file, 'latin1').includes(secret),
    )
    expect(elsewhere).toEqual([])
  })
  console.log(`reach: seed ${firstSeed}, ${calls} calls`)
})
