/** What the workflows and the Dockerfile name exists: scripts, flags, programs, files and versions. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const text = (file: string) => readFileSync(join(root, file), 'utf8')
const manifest = JSON.parse(text('package.json'))
const directory = '.github/workflows'
const workflows = readdirSync(join(root, directory)).map((name) => [name, text(`${directory}/${name}`)] as const)

/** Every command of a workflow, on a line of its own. */
function commandsOf(workflow: string): string[] {
  return [...workflow.matchAll(/^ *(?:- )?run: (.*)$/gm)].flatMap(([, line = '']) => line.split(' && '))
}

/** Lists of a matrix, by name. */
function matrixOf(workflow: string): Record<string, string[]> {
  const lists = [...workflow.matchAll(/^ {8}(\w+): \[(.*)\]$/gm)]
  return Object.fromEntries(lists.map(([, name, items = '']) => [name, items.split(', ')]))
}

describe.each(workflows)('%s', (_name, workflow) => {
  const commands = commandsOf(workflow)
  const matrix = matrixOf(workflow)

  test('has commands, each on one line', () => {
    expect(commands).not.toEqual([])
    expect(workflow).not.toMatch(/run: [|>]/)
  })

  test('scripts exist, and so do the flags of the tests', () => {
    const scripts = commands.flatMap((command) => /^npm run (\S+)/.exec(command)?.[1] ?? [])
    expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([])
    const flags = commands
      .flatMap((command) => /^npm test -- (--\S+.*)$/.exec(command)?.[1] ?? [])
      .flatMap((flag) => matrix.part?.map((part) => flag.replace(/\$\{\{ matrix\.part \}\}/, part)) ?? [flag])
    const runner = text('test/run.mjs')
    expect(flags.filter((flag) => !runner.includes(`'${flag}'`))).toEqual([])
  })

  test('programs are installed with the development dependencies', () => {
    const programs = commands.flatMap((command) => /^npx (\S+)/.exec(command)?.[1] ?? [])
    expect(programs.filter((name) => !(name in manifest.devDependencies))).toEqual([])
  })

  test('projects of vitest exist', () => {
    const projects = commands.flatMap((command) => /--project (\S+)/.exec(command)?.[1] ?? [])
    expect(projects.filter((name) => !text('vitest.config.ts').includes(`name: '${name}'`))).toEqual([])
  })

  test('Node is one that the package supports, and actions have a version', () => {
    const versions = [...workflow.matchAll(/node-version: (\d+)/g)].map(([, version = '']) => version)
    for (const version of [...versions, ...(matrix.node ?? [])]) expect(Number(version)).toBeGreaterThanOrEqual(20)
    const actions = [...workflow.matchAll(/uses: (.*)/g)].map(([, action]) => action)
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@v\d+$/)
  })

  test('values of the matrix are those that it has', () => {
    const used = [...workflow.matchAll(/\$\{\{ matrix\.(\w+) \}\}/g)].map(([, name = '']) => name)
    expect(used.filter((name) => !(name in matrix))).toEqual([])
    expect(Object.keys(matrix).filter((name) => !used.includes(name))).toEqual([])
  })
})

test('the site is published from where it is built', () => {
  const [, path = ''] = /path: (dist\/\S+)/.exec(text(`${directory}/site.yml`)) ?? []
  expect(text('build/site/site.mjs')).toContain(`'${path}'`)
})

test('the Dockerfile copies files that exist, and runs programs that exist', () => {
  const file = text('Dockerfile')
  const copied = [...file.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names = '']) => names.split(' '))
  expect(copied.length).toBeGreaterThan(3)
  expect(copied.filter((name) => !existsSync(join(root, name)))).toEqual([])
  const ignored = text('.dockerignore').split('\n')
  expect(copied.filter((name) => ignored.includes(name.split('/')[0] as string))).toEqual([])
  const scripts = [...file.matchAll(/^RUN node (\S+)/gm)].map(([, name = '']) => name)
  expect(scripts.filter((name) => !existsSync(join(root, name)))).toEqual([])
  const built = [...file.matchAll(/--from=build \/build\/(.*) \S+$/gm)].flatMap(([, names = '']) =>
    names.split(' ').map((name) => name.replace('/build/', '')),
  )
  expect(built.filter((name) => !existsSync(join(root, name)))).toEqual([])
})
