/** On the browser's own engine, `node` does what Node does: the cases of the other engine, in a page that is isolated from others. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { moduleCases } from '../../bash/node-module-cases.js'
import { streamScripts } from '../../bash/node-stream-scripts.js'
import { bothNodes, otherVersion } from '../../bash/same-as-node.js'
import { isFull, sample } from '../../scale.js'
import { isolating, type RoomPage, roomPage } from '../room/room-page.js'

let opened: RoomPage

beforeAll(async () => {
  opened = await roomPage({ headers: isolating })
})

afterAll(() => opened?.close())

describe.skipIf(otherVersion)('the same as Node', () => {
  const { both } = bothNodes(async (directory, tree, command) => {
    const files = Object.entries(tree).filter(([, entry]) => typeof entry === 'string') as Array<[string, string]>
    const links = Object.entries(tree).flatMap(([name, entry]) => (typeof entry === 'string' ? [] : [{ name, entry }]))
    await opened.files({
      [`${directory}/.made`]: '',
      ...Object.fromEntries(files.map(([name, text]) => [join(directory, name), text])),
    })
    const made = links.map(({ name, entry }) => `mkdir -p "$(dirname ${name})"; ln -s '${entry.link}' '${name}'; `)
    return opened.sh(`cd ${directory}; rm .made; ${made.join('')}${command}`)
  })

  test.for(sample(Object.entries(moduleCases), { every: 4 }))('%s', async ([, tree]) => {
    const { ours, theirs } = await both(tree, [Object.keys(tree)[0] as string])
    expect({ ...ours, stderr: '' }).toEqual({ ...theirs, stderr: '' })
    expect(theirs.stdout).not.toBe('')
  })

  test.for(sample(Object.entries(streamScripts), { every: 7 }))('%s', async ([, main]) => {
    const { ours, theirs } = await both({ 'main.cjs': main }, ['main.cjs'])
    expect(ours).toEqual(theirs)
  })

  test.for(Object.entries(ownCases))('%s', async ([, tree]) => {
    const { ours, theirs } = await both(tree, [Object.keys(tree)[0] as string])
    expect(ours).toEqual(theirs)
    expect(theirs.stdout).not.toBe('')
  })

  // Circles with modules that wait have another order in Node 20, whose engine is older than that part of the specification.
  test('generated ES modules run in the order of Node: in circles, or waiting', async () => {
    for (let round = 0; round < (isFull ? 40 : 4); round += 1) {
      const tree = generated(round)
      const { ours, theirs } = await both(tree, ['m0.mjs'])
      expect({ round, ...ours, stderr: '' }).toEqual({ round, ...theirs, stderr: '' })
    }
  })
})

/** What making functions of ES modules could get wrong. */
const ownCases: Readonly<Record<string, Record<string, string>>> = {
  'names that are imported are live, shadowed, called without an object, and in short properties': {
    'main.mjs': `
      import plain, { count, inc, self, tag, Thing as Other } from './part.mjs'
      import * as all from './part.mjs'
      console.log(count, all.count, plain(), { count, inc }.count)
      inc()
      console.log(count, all.count, self(), tag\`a\`, new Other().x, typeof all.missing, Object.keys(all).join())
      const inner = ({ count: own = 7, ...rest }, inc = (count) => count + 1) => [own, inc(1), rest]
      console.log(inner({ b: 2 }))
      for (const count of [8]) console.log(count)
      try { throw 9 } catch (count) { console.log(count) }
      { function inc() { return 'inner' } console.log(inc()) }
      class count2 { static count = count; [count] = count; get inc() { return count } }
      console.log(count2.count, new count2()[1], new count2().inc)
      const last = count
      self()
      label: for (;;) { break label }
      console.log(all[Symbol.toStringTag], Object.isSealed(all), Reflect.ownKeys(all).length, 'count' in all, all)
      try { all.count = 1 } catch (error) { console.log(error.name) }`,
    'part.mjs': `
      export let count = 0
      export function inc() { count += 1 }
      export function self() { return this }
      export const tag = function (texts) { return [this, ...texts] }
      export class Thing { x = count }
      export default () => 'default'`,
  },
  'what is exported in all its forms': {
    'main.mjs': `
      import * as one from './one.mjs'
      import anonymous, { default as again } from './two.mjs'
      import Unnamed from './three.mjs'
      console.log(one, anonymous === again, anonymous.name, Unnamed.name, one.space === (await import('./two.mjs')))
      console.log(await import('./four.mjs').catch((error) => error.message))`,
    'one.mjs': `
      export const { a, b: [c, d = 4], ...rest } = { a: 1, b: [3], e: 5 }, more = 6
      export * from './two.mjs'
      export * as space from './two.mjs'
      export { default as two, two as 'with a space' } from './two.mjs'
      var late = 1; export { late, late as later }; late = 2`,
    'two.mjs': 'export default function () {}\nexport const two = 2',
    'three.mjs': 'export default class {}',
    'four.mjs': "import { nothing } from './two.mjs'",
  },
  'circles find functions and variables as far as they are there': {
    'main.mjs': "import { b } from './a.mjs'\nconsole.log(b())",
    'a.mjs': `import { late, early } from './b.mjs'
      export function b() { return [early(), late] }
      export const value = 'value'`,
    'b.mjs': `import { b, value } from './a.mjs'
      export const late = typeof b
      export function early() { return value }
      try { console.log(value) } catch (error) { console.log(error.name, error.message.includes('initialization')) }`,
  },
  'modules that wait run beside each other, and others after them': {
    'main.mjs':
      "import './slow.mjs'\nimport './fast.mjs'\nimport './plain.mjs'\nconsole.log('main', import.meta.filename.endsWith('main.mjs'))",
    'slow.mjs': "await new Promise((done) => setTimeout(done, 30)); console.log('slow')",
    'fast.mjs': "await null; console.log('fast')",
    'plain.mjs': "console.log('plain')",
  },
  'jobs, ticks, timers and rejections come in their order': {
    'main.cjs': `
      process.on('unhandledRejection', (reason) => console.log('unhandled', reason))
      setTimeout(() => console.log('timeout'))
      setImmediate(() => console.log('immediate'))
      process.nextTick(() => console.log('tick'))
      Promise.resolve().then(() => { console.log('job'); process.nextTick(() => console.log('tick of a job')) }).then(() => console.log('job of a job'))
      queueMicrotask(() => console.log('microtask'))
      Promise.reject('nobody')
      const handled = Promise.reject('late'); Promise.resolve().then(() => handled.catch((reason) => console.log('handled', reason)))
      process.on('exit', (code) => console.log('exit', code))
      console.log('sync')`,
  },
  'files and commands are there at once': {
    'main.cjs': `
      const fs = require('fs'), { execSync, spawnSync } = require('child_process')
      fs.mkdirSync('d/e', { recursive: true }); fs.writeFileSync('d/e/f', Buffer.from([0, 255, 10])); fs.appendFileSync('d/e/f', 'é')
      console.log(fs.readFileSync('d/e/f'), fs.statSync('d/e/f').size, fs.readdirSync('d'), fs.existsSync('none'))
      try { fs.readFileSync('none') } catch (error) { console.log(error.code, error.message) }
      console.log(execSync('printf x; echo y >> d/log; cat d/log').toString(), fs.readFileSync('d/log', 'utf8'))
      const { status, stderr } = spawnSync('node', ['-e', 'console.error("inner"); process.exit(4)'])
      console.log(status, String(stderr))`,
  },
}

/** Modules that import each other at will, or only later ones and wait. */
function generated(seed: number): Record<string, string> {
  let state = seed * 2654435761 + 1
  const next = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return (state >>> 16) % below
  }
  const count = 3 + next(5)
  const waits = seed % 2 === 0
  const other = (index: number) => (waits ? index + 1 + next(count) : next(count))
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const imports = Array.from({ length: next(4) }, () => other(index)).filter((each) => each < count)
      const lines = [
        ...imports.map((each, at) => `import { f${each} as g${at} } from './m${each}.mjs'`),
        `console.log('begin ${index}'${imports.map((_other, at) => `, typeof g${at}`).join('')})`,
        ...(waits && next(3) === 0 ? ['await null', `console.log('on ${index}')`] : []),
        `export function f${index}() { return ${index} }`,
        ...(next(5) === 0 && !waits ? [`export * from './m${next(count)}.mjs'`] : []),
        ...(next(6) === 0
          ? [`import('./m${next(count)}.mjs').then((all) => console.log('late ${index}', Object.keys(all).length))`]
          : []),
      ]
      return [`m${index}.mjs`, lines.join('\n')]
    }),
  )
}
