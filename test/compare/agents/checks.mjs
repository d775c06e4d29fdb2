/** Checks of what an agent did, by the bytes on disk and by its answer. A check returns nothing when all is right, else the fault. */
import fs from 'node:fs'
import path from 'node:path'
import { QuickJS } from 'quickjs-wasi'
import { repository } from './repository/index.mjs'

/** Code that an agent wrote takes microseconds; more is an endless loop, on a busy machine too. */
const evaluationMs = 5_000

/**
 * The tree is the repository with these files instead: text or bytes, `null` for a file that must be gone, or a function that is given the
 * bytes and returns the fault. All other files are as they were, and there are no more.
 */
export async function treeIs(root, changed) {
  const found = filesBelow(root)
  const expected = new Map([...repository(), ...Object.entries(changed)])
  for (const [name, content] of expected) {
    if (content === null) {
      if (found.has(name)) return `${name} is still there`
      continue
    }
    if (!found.has(name)) return `${name} is missing`
    const bytes = fs.readFileSync(path.join(root, name))
    const fault = typeof content === 'function' ? await content(bytes) : differs(name, bytes, content)
    if (fault !== undefined) return fault
  }
  const extra = [...found].find((name) => !expected.has(name))
  return extra === undefined ? undefined : `${extra} should not be there`
}

function differs(name, bytes, content) {
  return Buffer.from(content).equals(bytes) ? undefined : `${name} has other bytes than it should`
}

function filesBelow(root) {
  const entries = fs.readdirSync(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => !entry.isDirectory())
  return new Set(
    files.map((entry) =>
      path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)).replaceAll(path.sep, '/'),
    ),
  )
}

/** The last line of an answer that begins with `ANSWER:`, without it. */
export function answerLine(answer) {
  return [...answer.matchAll(/^\W*ANSWER:\**\s*(.*?)\W*$/gm)].at(-1)?.[1]
}

/**
 * Runs a module without imports, and returns the value of an expression over its functions. An agent may have written anything, so it runs
 * in QuickJS, which has no access to the machine. Code that throws or does not end has no value.
 */
export async function evaluate(source, expression) {
  const wasm = fs.readFileSync(new URL(import.meta.resolve('quickjs-wasi/quickjs.wasm')))
  let deadline = Infinity
  const engine = await QuickJS.create({ wasm, memoryLimit: 64 << 20, interruptHandler: () => Date.now() > deadline })
  deadline = Date.now() + evaluationMs
  try {
    const script = `${source.toString().replaceAll(/^export /gm, '')}\n;JSON.stringify(${expression})`
    return JSON.parse(engine.evalCode(script).consume((value) => value.toString()))
  } catch {
    return undefined
  } finally {
    engine.dispose()
  }
}
