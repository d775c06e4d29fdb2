/** The lines that complaints name, against documents whose lines are known. */
import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { loadTask } from '../../harness/tasks/load-task.js'
import { TaskError } from '../../harness/tasks/task-error.js'
import { tomlKeyLines } from '../../harness/tasks/toml-key-lines.js'
import { memory } from '../../src/fs/backends/memory.js'
import { seededRandom } from '../../src/text/seeded-random.js'

type Path = (string | number)[]

const keys = ['a', 'b-1', '"quoted key"', "'single.key'", '"esc\\"aped"', '"\\u00e9"', '1', '""', '"[x]"', '"#"']
const nameOf: Record<string, string> = {
  '"quoted key"': 'quoted key',
  "'single.key'": 'single.key',
  '"esc\\"aped"': 'esc"aped',
  '"\\u00e9"': 'é',
  '""': '',
  '"[x]"': '[x]',
  '"#"': '#',
}
const values = [
  '1',
  '"text # no comment"',
  "'C:\\path\\'",
  '"a \\" quote"',
  '[1, 2]',
  '[\n  1, # one\n  "]",\n\n]',
  '{ x = 1, y = "}" }',
  '"""\n[no.header]\nno = "key"\n"""',
  "'''\n[[no]]\n\\'''",
  '"""\\\n   folded \\" """',
  '"""ends in a quote""""',
  '1979-05-27T07:32:00Z',
  '[ { a = 1 },\n { b = [\n 2 ] } ]',
]

function generate(random: () => number) {
  const pick = <Value>(list: readonly Value[]) => list[Math.floor(random() * list.length)] as Value
  const lines: string[] = []
  const expected = new Map<string, number>()
  const defined = new Set<string>()
  const arrays = new Map<string, number>()
  let table: Path = []

  const add = (text: string) => lines.push(...text.split('\n'))
  const note = (path: Path, line: number) => {
    for (let length = 1; length <= path.length; length += 1) {
      const key = JSON.stringify(path.slice(0, length))
      if (!expected.has(key)) expected.set(key, line)
    }
  }
  const plain = (key: string) => nameOf[key] ?? key

  for (let count = 0; count < 12; count += 1) {
    const choice = random()
    if (choice < 0.2) add(pick(['', '# [comment]', '  # a = 1', '\t']))
    else if (choice < 0.35) {
      const key = `t${Math.floor(random() * 1000)}`
      if (defined.has(key)) continue
      defined.add(key)
      const sub = pick(keys)
      table = [key, plain(sub)]
      note(table, lines.length + 1)
      add(`${pick(['', '  '])}[ ${key} . ${sub} ]${pick(['', ' # comment'])}`)
    } else if (choice < 0.5) {
      const key = pick(['list', '"other list"'])
      const name = key.replaceAll('"', '')
      const index = arrays.get(name) ?? 0
      arrays.set(name, index + 1)
      table = [name, index]
      note(table, lines.length + 1)
      add(`[[${key}]]`)
    } else {
      const key = pick(keys)
      const path = [...table, plain(key)]
      const dotted = random() < 0.2
      const full = dotted ? [...path, 'dotted'] : path
      if (defined.has(JSON.stringify(path))) continue
      defined.add(JSON.stringify(path))
      note(full, lines.length + 1)
      add(
        `${pick(['', '  '])}${key}${dotted ? ' . dotted' : ''} ${pick(['=', ' = '])} ${pick(values)}${pick(['', ' # end'])}`,
      )
    }
  }
  return { text: lines.join(pick(['\n', '\r\n'])), expected }
}

test('every key is found on its line', () => {
  const random = seededRandom(5)
  for (let round = 0; round < 2000; round += 1) {
    const { text, expected } = generate(random)
    expect(() => parse(text), text).not.toThrow()
    expect([...tomlKeyLines(text)], text).toEqual([...expected])
  }
})

test('a damaged folder is a task, a skipped one, or a list of problems, and nothing else', async () => {
  const random = seededRandom(9)
  const task =
    '[metadata.polyfs]\nroot = "/w"\nbudget = { calls = 3 }\n[verifier]\ntimeout_sec = 3\nenv = { A = "b" }\n'
  const checks =
    '[[check]]\nfile = "a"\nregex = "^a+$"\n[[check]]\nonly_changed = ["a/**"]\n[[check]]\nfile = "a"\npointer = "/a"\nvalue = 1\n'
  const dockerfile = 'FROM x\nWORKDIR /a\nENV A=b C="d e"\nCOPY --chmod=755 a.txt [b]* ./c/\nCOPY ["a.txt", "/x"]\n'
  const noise = [
    '[',
    ']',
    '"',
    "'",
    '=',
    '\\',
    '\n',
    '.',
    '*',
    '${',
    '..',
    '/',
    '\0',
    '#',
    '{',
    '}',
    '\ud800',
    '__proto__',
    'é',
  ]
  const damaged = (text: string) => {
    let result = text
    for (let count = 0; count < 1 + random() * 3; count += 1) {
      const at = Math.floor(random() * result.length)
      const piece = random() < 0.5 ? '' : (noise[Math.floor(random() * noise.length)] as string)
      result = result.slice(0, at) + piece + result.slice(at + Math.floor(random() * 4))
    }
    return result
  }
  const seen = { task: 0, skipped: 0, problems: 0 }
  for (let round = 0; round < 1500; round += 1) {
    const fs = memory({
      '/t/task.toml': random() < 0.5 ? damaged(task) : task,
      '/t/instruction.md': 'Do it.',
      '/t/tests/checks.toml': random() < 0.5 ? damaged(checks) : checks,
      '/t/environment/Dockerfile': random() < 0.7 ? damaged(dockerfile) : dockerfile,
      '/t/environment/a.txt': '',
      '/t/environment/b.txt': '',
    })
    try {
      seen['task' in (await loadTask(fs, '/t')) ? 'task' : 'skipped'] += 1
    } catch (error) {
      if (!(error instanceof TaskError)) throw error
      for (const { file, message } of error.problems)
        expect([file, message]).toEqual([expect.stringMatching(/^\/t\//), expect.stringMatching(/./)])
      seen.problems += 1
    }
  }
  expect(
    Object.values(seen).every((count) => count > 50),
    JSON.stringify(seen),
  ).toBe(true)
})
