/** Every dialect on every file system: the conformance cases in process, on memory and on a real directory. */
import { expect, test } from 'vitest'
import { dialects } from '../../src/dialects/index.js'
import { polyfs } from '../../src/dialects/polyfs/tools.js'
import { vectors } from './vectors/cases.js'
import { directoryStage } from './vectors/directory-stage.js'
import { inProcess } from './vectors/in-process.js'
import { describeVectors } from './vectors/suite.js'
import { memoryStage } from './vectors/workspace-stage.js'

test('every dialect has cases, and all cases have a dialect', () => {
  expect([...new Set(vectors.map(({ dialect }) => dialect))].sort()).toEqual(Object.keys(dialects).sort())
})

test('no two cases have the same name', () => {
  expect(new Set(vectors.map(({ id }) => id)).size).toBe(vectors.length)
})

test('every parameter of our own tools, and every choice it has, is in some case', () => {
  const given = vectors
    .filter(({ dialect }) => dialect === 'polyfs')
    .flatMap(({ calls }) => calls.flat())
    .flatMap((call) => ('tool' in call ? [{ tool: call.tool, args: call.args ?? {} }] : []))
  const untried = polyfs.tools.flatMap(({ name, inputSchema }) => {
    const used = given.filter(({ tool }) => tool === name).map(({ args }) => args)
    const properties = Object.entries((inputSchema.properties ?? {}) as Record<string, Property>)
    return properties.flatMap(([key, { enum: choices = [], default: usual }]) => {
      const values = used.flatMap((args) => (key in args ? [args[key]] : []))
      const missing = choices.filter((choice) => choice !== usual && !values.includes(choice))
      return values.length === 0 ? [`${name}.${key}`] : missing.map((choice) => `${name}.${key}: ${choice}`)
    })
  })
  expect(untried).toEqual([])
})

interface Property {
  enum?: unknown[]
  default?: unknown
}

describeVectors({ name: 'memory', hasShell: false, openStage: (vector) => memoryStage(vector, inProcess) })
describeVectors({ name: 'node:fs', hasShell: true, openStage: (vector) => directoryStage(vector, inProcess) })
