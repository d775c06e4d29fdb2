/** Every dialect on every file system: the conformance cases in process, on memory and on a real directory. */
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { dialects } from './all.js'
import { vectors } from './vectors/cases.js'
import { directoryStage } from './vectors/directory-stage.js'
import { inProcess } from './vectors/in-process.js'
import { describeVectors } from './vectors/suite.js'
import { memoryStage } from './vectors/workspace-stage.js'

const shell = emulatedShell({
  worker: fileURLToPath(new URL('../../dist/node/emulated-worker.js', import.meta.url)),
})

test('every dialect has cases, and all cases have a dialect', () => {
  expect([...new Set(vectors.map(({ dialect }) => dialect))].sort()).toEqual(Object.keys(dialects).sort())
})

test('no two cases have the same name', () => {
  expect(new Set(vectors.map(({ id }) => id)).size).toBe(vectors.length)
})

describeVectors({ name: 'memory', openStage: (vector) => memoryStage(vector, inProcess, shell) })
// All of them are played on a directory over stdio.
describeVectors({ name: 'node:fs', isSampled: true, openStage: (vector) => directoryStage(vector, inProcess) })
