/** Links that somebody else has put into the directory of a run: nothing beside the directory is read as a part of it, written or cut. */
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../cli/run-cli.js'
import { type Evaluated, runEval, sayYes, solution, writeFiles } from './suite.js'

/** A directory for a run, and one beside it with files of the user's own. */
async function places(): Promise<{ out: string; beside: string; run(...more: string[]): Promise<Evaluated> }> {
  const place = await temporaryDirectory()
  const [out, beside] = [join(place, 'run'), join(place, 'beside')]
  await writeFiles(join(place, 'suite/right'), sayYes)
  await writeFiles(place, {
    'calls.json': JSON.stringify(solution),
    'beside/file': 'no line',
    'beside/traces/kept': 'x',
  })
  await writeFiles(place, { 'beside/traces/kept.0123456789ab.new': 'x' })
  const agent = `scripted:${join(place, 'calls.json')}`
  await mkdir(out)
  return {
    out,
    beside,
    run: (...more) => runEval('run', join(place, 'suite'), '--agent', agent, '--out', out, ...more),
  }
}

async function contentsOf(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const files = names.map(({ parentPath, name }) => join(parentPath, name)).sort()
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')])))
}

test('a link to a directory in place of the traces is refused', async () => {
  const { out, beside, run } = await places()
  const before = await contentsOf(beside)
  await symlink(join(beside, 'traces'), join(out, 'traces'))
  const { code, stderr } = await run()
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining(`${join(out, 'traces')} is a link or no directory; remove it`),
  })
  expect(await contentsOf(beside)).toEqual(before)
})

test.each(['traces', 'results.jsonl', 'run.json'])('a run whose %s is a link is not resumed', async (name) => {
  const { out, beside, run } = await places()
  expect((await run()).code).toBe(0)
  await rm(join(out, name), { recursive: true })
  await symlink(join(beside, name === 'traces' ? 'traces' : 'file'), join(out, name))
  const before = await contentsOf(beside)
  const { code, stderr } = await run('--resume')
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${join(out, name)} is a link or no `) })
  expect(await contentsOf(beside)).toEqual(before)
})

test.skipIf(process.platform === 'win32').each(['results.jsonl', 'run.json', 'traces'])(
  'a FIFO in place of %s is not waited for',
  async (name) => {
    const { out, run } = await places()
    expect((await run()).code).toBe(0)
    await rm(join(out, name), { recursive: true })
    execFileSync('mkfifo', [join(out, name)])
    expect(await run('--resume')).toMatchObject({ code: 2, stderr: expect.stringContaining('is a link or no ') })
    if (name === 'traces') return
    for (const command of ['report', 'rescore']) {
      expect(await runEval(command, out)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('is a link or no '),
      })
    }
  },
)
