/** A workspace with things that must stay secret, and what an attacker could still recognise of them. */

import { type MemoryJournal, memoryJournal } from '../../../src/change/journal/journal.js'
import type { MemoryFileSystem } from '../../../src/fs/backends/memory.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { writeFiles } from '../../../src/ops/write-files.js'
import type { Shell } from '../../../src/shell/types.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Rule } from '../../../src/workspace/rules.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { run } from '../../emulated-shell.js'

export const rules: readonly Rule[] = [{ deny: ['.env*', 'config/prod.env', 'private'] }]

/** Each has its own secret, and so have the earlier versions in git and in the history. */
export const denied = ['.env', 'config/prod.env', 'private/keys/notes.txt'] as const

const secretOf = (name: string) => `Zq7${name.replaceAll(/[^a-z]/g, '')}Xw9kLmVt`
const versions = ['now', 'committed', 'staged', 'stashed', 'edited'] as const
export const secrets = denied.flatMap((path) => versions.map((version) => secretOf(`${path}${version}`)))
const content = (path: string, version: (typeof versions)[number]) => `KEY=${secretOf(`${path}${version}`)}\n`

export interface Place {
  fs: MemoryFileSystem
  journal: MemoryJournal
}

/** Files, a repository with versions of them, and changes that were made before there were rules. */
export async function makePlace(shell: (workspace: Workspace) => Shell): Promise<Place> {
  const tree: Record<string, string> = {
    '/w/readme.md': '# A project\n',
    '/w/src/main.ts': 'export const one = 1\n',
    '/w/config/dev.txt': 'KEY=dev\n',
  }
  for (const path of denied) tree[`/w/${path}`] = content(path, 'committed')
  const fs = memory(tree)
  const journal = memoryJournal()
  const workspace = createWorkspace({ fs, journal, shell, roots: [{ path: '/w', access: 'read-write' }] })
  const script = async (text: string) => {
    const ran = await run(workspace, text)
    if (ran.exitCode !== 0) throw new Error(`${text}: ${ran.stderr}`)
  }
  const write = (version: (typeof versions)[number]) =>
    workspace.run(writeFiles, { files: denied.map((path) => ({ path, content: content(path, version) })) })
  await script('git init -q; git config user.name a; git config user.email a@b; git add -A; git commit -qm one')
  await write('stashed')
  await script('git stash -q')
  await write('staged')
  await script('git add -A; git tag here; git branch other')
  await write('edited')
  await write('now')
  return { fs, journal }
}

/** A copy of the place for one attack, with the rules or without. */
export function openPlace(
  { fs, journal }: Place,
  { shell, isRuled }: { shell: (workspace: Workspace) => Shell; isRuled: boolean },
): Workspace {
  return createWorkspace({
    fs: fs.fork(),
    journal: journal.fork(),
    shell,
    roots: [{ path: '/w', access: 'read-write' }],
    ...(isRuled && { rules }),
  })
}

/** The secrets that somebody can find in an answer who tries to undo what programs do to text. */
export function secretsIn(answer: string): string[] {
  const forms = formsOf(answer)
  return secrets.filter((secret) => forms.some((form) => form.includes(secret)))
}

function formsOf(answer: string): string[] {
  const withoutOffsets = answer.replaceAll(/^[0-9a-f]{7,8}:?(?= |$)/gim, '')
  const asCodes = (pattern: RegExp, base: number) =>
    [...withoutOffsets.matchAll(pattern)]
      .map(([, text = '']) => Number.parseInt(text, base))
      .map((code) => String.fromCharCode(code))
      .join('')
  const turned = answer.replaceAll(/[a-zA-Z]/g, (letter) => {
    const start = letter < 'a' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - start + 13) % 26) + start)
  })
  const words = answer.match(/[A-Za-z0-9+/]{16,}={0,2}/g) ?? []
  const skipped = [0, 1, 2, 3].flatMap((skip) => words.map((word) => Buffer.from(word.slice(skip), 'base64')))
  const digits = [...withoutOffsets.matchAll(/\b(?:[0-9a-f]{2}){1,99}\b/gi)].map(([text]) => text).join('')
  return [
    answer,
    withoutOffsets.replaceAll(/[\s"',\\[\]{}:|]+/g, ''),
    [...answer].reverse().join(''),
    turned,
    asCodes(/\b(\d{2,3})\b/g, 10),
    asCodes(/\b([0-3]?\d\d)\b/g, 8),
    asCodes(/^ *\d+ +([0-7]+) +[0-7]+$/gm, 8),
    Buffer.from(digits, 'hex').toString('latin1'),
    ...skipped.map((bytes) => bytes.toString('latin1')),
  ]
}
