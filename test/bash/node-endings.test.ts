import { expect, test } from 'vitest'
import { sample } from '../scale.js'
import { bothNodes, type NodeRun, otherVersion } from './same-as-node.js'

/** What a script does at last. */
const endings: Readonly<Record<string, string>> = {
  'process.exit with a code': 'process.exit(3)',
  'process.exit and more code': 'process.exit(5); console.log("never")',
  'process.exit in a function that is caught':
    'try { process.exit(4) } catch { console.log("never") } finally { console.log("never") }',
  'process.exit by exitCode': 'process.exitCode = 6; process.exit()',
  'an exit code': 'process.exitCode = 7',
  'a loop after process.exit': 'process.exit(8); for (;;);',
  'an error': 'throw new TypeError("broken")',
  'a thrown text': 'throw "text"',
  'a thrown null': 'throw null',
  'a thrown object': 'throw { a: 1 }',
  'a rejection': 'Promise.reject(new RangeError("rejected"))',
  'a rejection with a number': 'Promise.reject(5)',
  'a rejection that is handled': 'Promise.reject(new Error("x")).catch(() => console.log("handled"))',
  'endless recursion': 'const f = () => f() + 1; f()',
  'an exit in a handler':
    'process.on("exit", (code) => { console.log("exit", code); process.exit(9) }); process.exit(2)',
  'an error in a handler': 'process.on("exit", () => { throw new Error("in exit") })',
  'a code set in a handler': 'process.on("exit", () => { process.exitCode = 11 })',
  'an exit after an uncaught error':
    'process.on("uncaughtException", (error) => { console.log("caught", error.message); process.exit(12) }); throw new Error("first")',
  'an uncaught error that is survived':
    'process.on("uncaughtException", (error, origin) => console.log(origin, error.message)); setTimeout(() => console.log("alive")); throw new Error("first")',
  'an exit after a rejection':
    'process.on("unhandledRejection", (reason) => { console.log(reason); process.exit(13) }); Promise.reject("why")',
  'an error in the handler of errors':
    'process.on("uncaughtException", () => { throw new Error("second") }); throw new Error("first")',
}

/** Where it does it. */
const places: Readonly<Record<string, (code: string) => string>> = {
  'at the top': (code) => code,
  'in a job of a promise': (code) => `Promise.resolve().then(() => { ${code} })`,
  'in a later job': (code) =>
    `Promise.resolve().then(() => {}).finally(() => { ${code} }).then(() => console.log("then"))`,
  'in a microtask': (code) => `queueMicrotask(() => { ${code} })`,
  'in an async function': (code) => `(async () => { await 1; console.log("in"); { ${code} } })()`,
  'in an async function that is awaited': (code) =>
    `const f = async () => { await null; ${code} }; (async () => { try { await f() } finally { console.log("finally") } })()`,
  'in a tick': (code) => `process.nextTick(() => { ${code} })`,
  'in a timer': (code) => `setTimeout(() => { ${code} }, 1)`,
  'in an immediate': (code) => `setImmediate(() => { ${code} })`,
  'in a callback of a file': (code) => `require("fs").readFile(__filename, () => { ${code} })`,
  'in an event': (code) => `new (require("events"))().on("x", () => { ${code} }).emit("x")`,
  'in a getter while something is printed': (code) =>
    `console.log({ get a() { return 1 } }, [3, 1].sort((a, b) => { ${code}; return a - b }))`,
  'in a module that is required': (code) => `require("./part.cjs"); console.log("after"); // ${code}`,
  'in an imported module': (code) => `import("./part.cjs").then(() => console.log("imported")) // ${code}`,
  'in a generator': (code) => `for (const x of (function* () { yield 1; ${code} })()) console.log(x)`,
  'before an endless loop of jobs': (code) =>
    `setTimeout(() => process.exit(20), 5); Promise.resolve().then(() => { ${code} })`,
}

const cases = Object.entries(places).flatMap(([place, put]) =>
  Object.entries(endings).map(([ending, code]) => ({ name: `${ending} ${place}`, code, script: put(code) })),
)

const nodes = bothNodes()

test('scripts end with the output, the code and the error that they have in Node', async ({ skip }) => {
  if (otherVersion !== undefined) skip(otherVersion)
  const wrong: unknown[] = []
  for (const { name, code, script } of sample(cases, { every: 16 })) {
    const tree = { 'main.cjs': `console.log("begun");\n${script}\n`, 'part.cjs': `${code}\n` }
    const { ours, theirs } = await nodes.both(tree, ['main.cjs'])
    if (JSON.stringify(seen(ours)) !== JSON.stringify(seen(theirs)))
      wrong.push({ name, ours: seen(ours), theirs: seen(theirs) })
  }
  expect(wrong).toEqual([])
}, 300_000)

/** Without stacks, and without the lines of code that an error is shown with. */
function seen({ stdout, stderr, exitCode }: NodeRun): unknown {
  const lines = stderr
    .split('\n')
    .filter((line) => /^(?:\w*Error\b|UnhandledPromiseRejection|Node\.js v|\(Use )/.test(line))
  return { stdout, exitCode, said: lines.map((line) => line.replace(/^Node\.js v.*/, 'Node.js')) }
}
