import { describe, expect, test } from 'vitest'
import { loadSuite } from '../../harness/tasks/load-suite.js'
import { loadTask } from '../../harness/tasks/load-task.js'
import { TaskError } from '../../harness/tasks/task-error.js'
import type { Task } from '../../harness/types.js'
import { type MemoryTree, memory } from '../../src/fs/backends/memory.js'
import type { FileSystem } from '../../src/fs/types.js'

const plain = {
  '/t/task.toml': 'version = "1.0"\n',
  '/t/instruction.md': 'Do it.\n',
  '/t/tests/test.sh': 'echo 1 > /logs/verifier/reward.txt\n',
}

async function load(files: MemoryTree): Promise<Task> {
  const loaded = await loadTask(memory({ ...plain, ...files }), '/t')
  if ('task' in loaded) return loaded.task
  throw new Error(`skipped: ${loaded.skipped}`)
}

async function skippedBecause(files: MemoryTree): Promise<string> {
  const loaded = await loadTask(memory({ ...plain, ...files }), '/t')
  return 'skipped' in loaded ? loaded.skipped : 'not skipped'
}

async function problemsOf(files: MemoryTree, without: readonly string[] = []): Promise<string> {
  const tree = Object.fromEntries(Object.entries({ ...plain, ...files }).filter(([path]) => !without.includes(path)))
  const failure = await loadTask(memory(tree), '/t').catch((error) => error)
  if (!(failure instanceof TaskError)) throw new Error(`no problems: ${JSON.stringify(failure)}`)
  return failure.message
}

async function tree(files: Task['files']): Promise<Record<string, string>> {
  const fs = files as FileSystem
  const all: Record<string, string> = {}
  async function read(path: string): Promise<void> {
    for (const { name, kind } of await fs.readDir(path)) {
      const at = `${path === '/' ? '' : path}/${name}`
      const { mode } = await fs.stat(at)
      if (kind === 'directory') {
        all[`${at}/`] = ''
        await read(at)
      } else if (kind === 'symlink') all[at] = `-> ${await fs.readLink?.(at)}`
      else all[at] = `${mode?.toString(8)} ${new TextDecoder().decode(await fs.readFile(at))}`
    }
  }
  await read('/')
  return all
}

describe('a task without a Dockerfile', () => {
  test('has its environment as the working directory', async () => {
    const task = await load({ '/t/environment/src/a.txt': 'a', '/t/environment/empty/': '' })
    expect(task).toMatchObject({ id: 't', instruction: 'Do it.\n', options: { root: '/app' } })
    expect(await tree(task.files)).toEqual({
      '/app/': '',
      '/app/src/': '',
      '/app/src/a.txt': '644 a',
      '/app/empty/': '',
    })
    expect(task.solve).toBeUndefined()
  })

  test('needs no environment at all', async () => {
    expect(await tree((await load({})).files)).toEqual({ '/app/': '' })
  })

  test('keeps links, and of modes only the right to be executed', async () => {
    const fs = memory({ ...plain, '/t/environment/run.sh': 'x', '/t/environment/data': 'y' })
    await fs.setMode?.('/t/environment/run.sh', 0o775)
    await fs.setMode?.('/t/environment/data', 0o600)
    await fs.symlink?.('../etc/missing', '/t/environment/link')
    const loaded = await loadTask(fs, '/t')
    expect('task' in loaded && (await tree(loaded.task.files))).toEqual({
      '/app/': '',
      '/app/run.sh': '755 x',
      '/app/data': '644 y',
      '/app/link': '-> ../etc/missing',
    })
  })
})

describe('what is not there itself', () => {
  const places: Record<string, MemoryTree> = {
    'a directory of the suite': { '/shared/a.txt': 'a' },
    'a file': { '/shared': 'a' },
    nothing: {},
  }

  for (const [what, files] of Object.entries(places)) {
    for (const name of ['environment', 'tests', 'solution']) {
      test(`${name} as a link to ${what} is refused by its name`, async () => {
        const { '/t/tests/test.sh': script, ...rest } = plain
        const fs = memory(name === 'tests' ? { ...rest, ...files } : { ...rest, '/t/tests/test.sh': script, ...files })
        await fs.symlink?.('../shared', `/t/${name}`)
        const failure = await loadTask(fs, '/t').catch((error) => error)
        expect(failure).toBeInstanceOf(TaskError)
        expect(failure.message).toContain(
          `/t/${name}: it has to be a directory, not a symbolic link. Put the directory itself there`,
        )
      })
    }
  }

  test.each(['environment/Dockerfile', 'tests/test.sh', 'tests/checks.toml', 'solution/solve.sh', 'instruction.md'])(
    '%s as a link is refused by its name',
    async (name) => {
      const files: MemoryTree = {
        ...plain,
        '/shared': 'FROM debian\n',
        '/t/environment/a': '',
        '/t/tests/a': '',
        '/t/solution/a': '',
      }
      const fs = memory(Object.fromEntries(Object.entries(files).filter(([path]) => path !== `/t/${name}`)))
      await fs.symlink?.('/shared', `/t/${name}`)
      const failure = await loadTask(fs, '/t').catch((error) => error)
      expect(failure).toBeInstanceOf(TaskError)
      expect(failure.message).toContain(`/t/${name}: it has to be a file, not a symbolic link.`)
    },
  )

  test('a file in place of the environment, and a directory in place of the tests', async () => {
    expect(await problemsOf({ '/t/environment': 'text', '/t/tests/checks.toml/': '' })).toBe(
      [
        '/t/environment: it has to be a directory, not a file. Make it a directory.',
        '/t/tests/checks.toml: it has to be a file, not a directory. Make it a file.',
      ].join('\n'),
    )
  })

  test('links inside the environment are kept as they are, wherever they lead, and show nothing of the machine', async () => {
    const fs = memory({ ...plain, '/t/environment/src/a.txt': 'a', '/secret': 'of the machine' })
    const targets = ['src/a.txt', 'src', '..', '../../secret', '/secret', '/t/environment', 'missing', 'link-6']
    for (const [at, target] of targets.entries()) await fs.symlink?.(target, `/t/environment/link-${at}`)
    const loaded = await loadTask(fs, '/t')
    if (!('task' in loaded)) throw new Error(`skipped: ${loaded.skipped}`)
    const links = Object.fromEntries(targets.map((target, at) => [`/app/link-${at}`, `-> ${target}`]))
    expect(await tree(loaded.task.files)).toEqual({
      '/app/': '',
      '/app/src/': '',
      '/app/src/a.txt': '644 a',
      ...links,
    })
  })
})

describe('a Dockerfile', () => {
  const environment = {
    '/t/environment/a.txt': 'a',
    '/t/environment/b.txt': 'b',
    '/t/environment/sub/c.txt': 'c',
    '/t/environment/sub/deep/d.md': 'd',
    '/t/environment/with space.txt': 's',
  }
  const dockerfile = async (text: string) => {
    const task = await load({ ...environment, '/t/environment/Dockerfile': text })
    const { '/Dockerfile': _, ...files } = await tree(task.files)
    return {
      root: task.options?.root,
      env: task.options?.env,
      files: Object.keys(files).filter((path) => !path.endsWith('/')),
    }
  }

  test.each<[string, string[]]>([
    ['COPY a.txt /x.txt', ['/x.txt']],
    ['COPY a.txt /x/', ['/x/a.txt']],
    ['COPY a.txt b.txt /x/', ['/x/a.txt', '/x/b.txt']],
    ['COPY *.txt /x/', ['/x/a.txt', '/x/b.txt', '/x/with space.txt']],
    ['COPY ?.txt ./', ['/a.txt', '/b.txt']],
    ['COPY sub /x', ['/x/c.txt', '/x/deep/d.md']],
    ['COPY sub/ /x/', ['/x/c.txt', '/x/deep/d.md']],
    ['COPY sub/* /x/', ['/x/c.txt', '/x/d.md']],
    ['copy --chown=me:me --link a.txt /x', ['/x']],
    ['COPY ["with space.txt", "/x y/"]', ['/x y/with space.txt']],
    ['COPY --chown=1 ["a.txt", "/x"]', ['/x']],
    ['COPY "with space.txt" /x', ['/x']],
    ['COPY with\\ space.txt /x', ['/x']],
    ['COPY a.txt \\\n  # in between\n\n  b.txt \\\n  /x/', ['/x/a.txt', '/x/b.txt']],
    ['WORKDIR /w\nCOPY a.txt .', ['/w/a.txt']],
    ['WORKDIR /w\nCOPY a.txt /w', ['/w/a.txt']],
    ['WORKDIR /w\nWORKDIR v/../u\nCOPY a.txt x', ['/w/u/x']],
    [`ENV D=/d\nWORKDIR $D/e\nCOPY a.txt \${D}/f/`, ['/d/f/a.txt']],
    ['COPY ./sub/../a.txt /x', ['/x']],
    ['COPY a.txt /x\nCOPY b.txt /x', ['/x']],
  ])('%s', async (text, files) => {
    expect((await dockerfile(`# syntax=docker/dockerfile:1\nFROM debian AS base\r\n${text}\n`)).files).toEqual(files)
  })

  test('all of the folder, with the Dockerfile itself, as Docker does it', async () => {
    expect((await dockerfile('FROM x\nCOPY . /app')).files).toEqual([
      '/app/Dockerfile',
      '/app/a.txt',
      '/app/b.txt',
      '/app/sub/c.txt',
      '/app/sub/deep/d.md',
      '/app/with space.txt',
    ])
  })

  test('a mode', async () => {
    const task = await load({ ...environment, '/t/environment/Dockerfile': 'FROM x\nCOPY --chmod=700 a.txt /x' })
    expect((await tree(task.files))['/x']).toBe('700 a')
  })

  test('variables, in all forms', async () => {
    const { env } = await dockerfile(
      `FROM x\nENV A=1 B="two words" C=three\\ words D='$A'\nENV OLD all of the rest\nENV E=$A-\${B}-\${NONE:-default}-\${A:+set} \\\n    F=\\$A A=2\nENV G=$A`,
    )
    expect(env).toEqual({
      A: '2',
      B: 'two words',
      C: 'three words',
      D: '$A',
      OLD: 'all of the rest',
      E: '1-two words-default-set',
      F: '$A',
      G: '2',
    })
  })

  test('the working directory is the last one', async () => {
    expect((await dockerfile('FROM x')).root).toBe('/')
    expect((await dockerfile('FROM x\nWORKDIR /a\nWORKDIR b')).root).toBe('/a/b')
  })

  test.each<[string, string]>([
    ['FROM x\nRUN apt-get update', 'Dockerfile:2: the instruction RUN needs a container'],
    ['FROM x\n\n# c\nrun true', 'Dockerfile:4: the instruction RUN needs a container'],
    ['FROM x\nADD https://example.com/a /a', 'Dockerfile:2: the instruction ADD needs a container'],
    ['FROM x\nUSER me', 'Dockerfile:2: the instruction USER needs a container'],
    ['FROM x AS a\nFROM y', 'Dockerfile:2: a build of several stages needs a container'],
    ['FROM x\nCOPY --from=a /b /c', 'Dockerfile:2: COPY --from needs a container'],
    ['FROM x\nCOPY <<EOF /c', 'Dockerfile:2: COPY of a here-document needs a container'],
    ['FROM x\nCOPY onlyone', 'Dockerfile:2: COPY without a source and a destination needs a container'],
    ['# escape=`\nFROM x', 'Dockerfile:1: the escape character ` needs a container'],
  ])('%j makes the task skipped', async (text, reason) => {
    expect(await skippedBecause({ '/t/environment/Dockerfile': text })).toBe(`/t/environment/${reason}`)
  })

  test('a file that is not there, and several files for one name, are problems', async () => {
    expect(
      await problemsOf({
        '/t/environment/Dockerfile': 'FROM x\nCOPY none.txt /x\nCOPY [a-z]* /y',
        '/t/environment/a': '',
        '/t/environment/b': '',
      }),
    ).toBe(
      [
        '/t/environment/Dockerfile:2: COPY finds no none.txt. Sources are paths in environment/, which is all that a build can see.',
        '/t/environment/Dockerfile:3: COPY of several files to /y. End the destination with a slash.',
      ].join('\n'),
    )
  })

  test('nothing outside the folder can be copied', async () => {
    expect(await problemsOf({ '/t/environment/Dockerfile': 'FROM x\nCOPY ../instruction.md /x' })).toContain(
      'COPY finds no',
    )
  })
})

describe('settings', () => {
  test("Harbor's own are accepted, whatever else is in them", async () => {
    const task = await load({
      '/t/task.toml': `schema_version = "1.3"
source = "somewhere"
artifacts = []
[task]
name = "org/name"
authors = [{ name = "A", email = "a@example.com" }]
[metadata]
difficulty = "easy"
anything = { nested = [1, 2] }
[verifier]
timeout_sec = 12.5
env = { MODE = "strict" }
user = "root"
[agent]
timeout_sec = 90
[solution]
env = { A = "1" }
[environment]
build_timeout_sec = 600.0
docker_image = "debian"
cpus = 1
memory_mb = 2048
gpus = 0
allow_internet = true
os = "linux"
mcp_servers = []
env = { LEVEL = "2" }
`,
    })
    expect(task).toMatchObject({ timeoutMs: 90_000, options: { root: '/app', env: { LEVEL: '2' } } })
  })

  test('ours are in [metadata.polyfs]', async () => {
    const { options } = await load({
      '/t/task.toml': `[metadata.polyfs]
root = "/work"
dialect = "fs"
tools = ["read", "-fs.read_file"]
seed = 7
start_ms = 0
step_ms = 5
env = { A = "1" }
[metadata.polyfs.budget]
calls = 10
tokens = 1000
[metadata.polyfs.limits]
max_output_bytes = 5000
`,
    })
    expect(options).toEqual({
      root: '/work',
      dialect: expect.objectContaining({ name: expect.any(String) }),
      tools: ['read', '-fs.read_file'],
      seed: 7,
      startMs: 0,
      stepMs: 5,
      env: { A: '1' },
      budget: { calls: 10, tokens: 1000 },
      limits: { maxOutputBytes: 5000 },
    })
  })

  test('all problems are named, with their lines', async () => {
    const problems = await problemsOf(
      {
        '/t/task.toml': `version = "1.0"
[verifier]
timeout_sec = "long"
[metadata.polyfs]
# a comment
sead = 1
dialect = "french"
tools = "read,teleport"
seed = -1

[metadata.polyfs.budget]
calls = 1.5
steps = 3
`,
        '/t/tests/checks.toml': '[[check]]\nfile = "a"\npresent = yes\n',
      },
      ['/t/instruction.md'],
    )
    expect(problems.split('\n').map((line) => line.slice(0, 90))).toEqual(
      [
        '/t/task.toml:3: timeout_sec has to be a number above 0',
        '/t/task.toml:6: unknown key "sead". Known are root, dialect, tools, seed, start_ms, step_ms, budget, limits, env.',
        expect.stringMatching(/^\/t\/task\.toml:7: there is no dialect "french"\. Use one of /),
        expect.stringMatching(/^\/t\/task\.toml:8: \S+ has no tool or group 'teleport'; there is /),
        '/t/task.toml:9: seed has to be a whole number from 0',
        '/t/task.toml:13: unknown key "steps". Known are calls, turns, tokens, bytes.',
        '/t/task.toml:12: calls has to be a whole number from 0',
        '/t/instruction.md: the file is missing. It tells the agent what to do.',
        expect.stringMatching(/^\/t\/tests\/checks\.toml:3: .*Column \d+ is where it stops /),
      ].map((line) => (typeof line === 'string' ? line.slice(0, 90) : line)),
    )
  })

  test.each<[string, string]>([
    ['a = ', '1'],
    ['a = 1\nb = 2\na = 3', '3'],
    ['[a]\n[a]', '2'],
    ['a = "unclosed\nb = 1', '1'],
    ['\n\n= 1', '3'],
  ])('invalid TOML: %j', async (text, line) => {
    expect(await problemsOf({ '/t/task.toml': text })).toMatch(new RegExp(`^/t/task\\.toml:${line}: `))
  })

  test.each<[string, string]>([
    ['[[steps]]\nname = "one"', 'task.toml:1: tasks of several steps'],
    ['[environment]\nos = "windows"', 'task.toml:2: the operating system windows'],
    ['[environment]\ngpus = 1', 'task.toml:2: a GPU'],
    ['[[environment.mcp_servers]]\nname = "x"', 'task.toml:1: other MCP servers'],
    ['[environment.healthcheck]\ncommand = "x"', 'task.toml:1: a health check of a container'],
    ['[verifier]\nenvironment_mode = "separate"', 'task.toml:1: a container of its own for the verifier'],
    ['[[verifier.collect]]\ncommand = "x"', 'task.toml:1: hooks before the verifier'],
    [`[verifier.env]\nKEY = "\${KEY}"`, "task.toml:2: the host's variable in KEY"],
  ])('%j makes the task skipped', async (text, reason) => {
    expect(await skippedBecause({ '/t/task.toml': text })).toBe(`/t/${reason}`)
  })

  test('a compose file and rules for copying make the task skipped', async () => {
    expect(await skippedBecause({ '/t/environment/docker-compose.yaml': '' })).toBe(
      '/t/environment/docker-compose.yaml: several containers',
    )
    expect(
      await skippedBecause({ '/t/environment/Dockerfile': 'FROM x', '/t/environment/.dockerignore': '*' }),
    ).toContain('.dockerignore')
  })

  test('nothing that scores, no task.toml, an empty instruction', async () => {
    expect(await problemsOf({}, ['/t/tests/test.sh'])).toBe(
      '/t/tests: nothing scores the task. Add tests/test.sh or tests/checks.toml.',
    )
    expect(await problemsOf({}, ['/t/task.toml'])).toBe('/t/task.toml: the file is missing')
    expect(await problemsOf({ '/t/instruction.md': ' \n' })).toBe(
      '/t/instruction.md: the file is empty. It tells the agent what to do.',
    )
  })

  test('what can not be read is a problem, not a crash', async () => {
    for (const path of ['/t/task.toml', '/t/tests/test.sh', '/t/environment/a', '/t/solution']) {
      const fs = memory({ ...plain, '/t/environment/a': 'a', '/t/solution/solve.sh': '' })
      await fs.setMode?.(path, 0)
      const failure = await loadTask(fs, '/t').catch((error) => error)
      expect([failure.name, failure.message]).toEqual([
        'TaskError',
        expect.stringMatching(/^\/t\/.*: it can't be read: .*DENIED/),
      ])
    }
  })

  test('lines that keep a benchmark out of training data are not for the agent', async () => {
    const { instruction } = await load({
      '/t/instruction.md': '<!-- harbor-canary GUID 123 -->\n# canary 2\n\n# Task\nThe canary sings.\n',
    })
    expect(instruction).toBe('# Task\nThe canary sings.\n')
  })
})

describe('tests/checks.toml', () => {
  test('lists what is wrong with each check', async () => {
    const problems = await problemsOf({
      '/t/tests/checks.toml': `title = "x"

[[check]]
file = "a"
present = true
colour = "red"

[[check]]
present = true

[[check]]
file = "a"
command = "true"

[[check]]
file = "a"
regex = "(unclosed"

[[check]]
file = "a"
text = "x"
regex = "y"

[[check]]
file = "a"
pointer = "no-slash"
value = 1

[[check]]
file = "a"
pointer = "/a"

[[check]]
file = "a"
equal_to = "missing.txt"

[[check]]
only_changed = ["[z-"]

[[check]]
expected_tree = "nowhere"

[[check]]
command = "true"
weight = -1

[[check]]
file = "a"
absent = false
`,
    })
    expect(problems.split('\n').map((line) => line.replace('/t/tests/checks.toml:', ''))).toEqual([
      '1: unknown key "title". Every check begins with [[check]].',
      '6: unknown key "colour" in a check of file. Known are file, name, weight, gate, present, absent, text, without, regex, pointer, value, equal_to, equals.',
      '8: a check needs exactly one of file, only_changed, expected_tree, command',
      '11: a check needs exactly one of file, only_changed, expected_tree, command',
      expect.stringMatching(/^17: a bad pattern: /),
      '20: a check of a file needs exactly one of present, absent, text, without, regex, pointer, equal_to, equals',
      '26: pointer has to be a JSON pointer. For example "/scripts/test".',
      '31: pointer needs a value. Add value = …',
      '35: there is no file tests/missing.txt',
      expect.stringMatching(/^38: a bad pattern: /),
      '41: there is no directory tests/nowhere',
      '45: weight has to be a number from 0',
      '49: absent has to be true',
    ])
  })

  test.each(['', 'check = []', 'check = 1'])('without checks: %j', async (text) => {
    expect(await problemsOf({ '/t/tests/checks.toml': text })).toContain('there are no checks')
  })
})

describe('a suite', () => {
  const taskAt = (path: string, more: MemoryTree = {}) =>
    Object.fromEntries(Object.entries({ ...plain, ...more }).map(([key, value]) => [key.replace(/^\/t/, path), value]))

  test('has tasks at any depth, sorted, and those that were skipped', async () => {
    const fs = memory({
      ...taskAt('/s/b'),
      ...taskAt('/s/group/a'),
      ...taskAt('/s/.hidden/c'),
      ...taskAt('/s/b/environment/inner'),
      ...taskAt('/s/z', { '/t/environment/Dockerfile': 'FROM x\nRUN y' }),
      '/s/README.md': '',
    })
    const { tasks, skipped } = await loadSuite(fs, '/s')
    expect([tasks.map(({ id }) => id), skipped.map(({ id }) => id)]).toEqual([['a', 'b'], ['z']])
    expect((await loadSuite(fs, '/s/b')).tasks.map(({ id }) => id)).toEqual(['b'])
    expect((await loadSuite(fs, ['/s/b', '/s/group', '/s/b'])).tasks.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  test('names the problems of all tasks at once, and ids that are not unique', async () => {
    const fs = memory({
      ...taskAt('/s/one', { '/t/task.toml': 'x' }),
      ...taskAt('/s/two', { '/t/instruction.md': '' }),
      ...taskAt('/s/x/same'),
      ...taskAt('/s/y/Same'),
    })
    const failure = await loadSuite(fs, ['/s', '/none']).catch((error) => error)
    expect(failure).toBeInstanceOf(TaskError)
    expect(failure.message.split('\n')).toEqual([
      '/none: there are no tasks. A task is a folder with a file task.toml.',
      '/s/y/Same: the id "Same" is that of /s/x/same, too. Rename one of the folders.',
      expect.stringMatching(/^\/s\/one\/task\.toml:1: /),
      '/s/two/instruction.md: the file is empty. It tells the agent what to do.',
    ])
  })

  test.each(['a b', '-x', 'a\nb', '<script>', 'a:b', '%2e%2e', 'x'.repeat(101), "it's", 'a\u202eb'])(
    'a folder name that could do harm is not an id: %j',
    async (name) => {
      const failure = await loadSuite(memory(taskAt(`/s/${name}`)), '/s').catch((error) => error)
      expect(failure.problems).toEqual([expect.objectContaining({ message: 'a folder name that is not an id' })])
    },
  )

  test.each(['größe', '日本', 'v1.2_b-3+c'])('%s is an id', async (name) => {
    expect((await loadSuite(memory(taskAt(`/s/${name}`)), '/s')).tasks.map(({ id }) => id)).toEqual([name])
  })
})
