/** Every tool, every parameter, every kind of forgivable mistake: the same effect as the right call, and a note. */
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { overlay } from '../../../src/fs/backends/overlay.js'
import type { ToolResult } from '../../../src/tools/dialect.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { sample } from '../../scale.js'
import { directoryStage } from '../vectors/directory-stage.js'
import { inProcess } from '../vectors/in-process.js'
import { placesIn } from '../vectors/places.js'
import { play } from '../vectors/play.js'
import type { Stage, Vector } from '../vectors/stage.js'
import { type Connector, memoryStage, optionsOf, rootsOf, workspaceStage } from '../vectors/workspace-stage.js'
import { type Mistake, mistakes, toolsWithMistakes, unmistaken } from './mistakes.js'

const shell = emulatedShell({
  worker: fileURLToPath(new URL('../../../dist/node/emulated-worker.js', import.meta.url)),
})

const all = mistakes('all')
const few = mistakes('one')

test('every tool with parameters has mistakes, and every parameter', () => {
  const withParameters = polyfs.tools.filter(({ schema }) => Object.keys(schema().input.properties ?? {}).length > 0)
  expect(toolsWithMistakes(all)).toEqual(withParameters.map(({ name }) => name).sort())
  expect(unmistaken()).toEqual([])
  console.log(`${all.length} mistakes in memory, ${few.length} on other file systems`)
})

const backends: [string, Mistake[], (vector: Vector, connector: Connector) => Promise<Stage>][] = [
  ['memory', sample(all, { every: 20 }), (vector, connector) => memoryStage(vector, connector, shell)],
  ['an overlay', sample(few, { every: 60 }), overlayStage],
  ['a directory', sample(few, { every: 60 }), directoryStage],
]

describe.each(backends)('on %s', (_, made, openStage) => {
  test.each(toolsWithMistakes(made))('%s', { timeout: 240_000 }, async (tool) => {
    const own = made.filter(({ name }) => name.startsWith(`${tool}.`))
    const faults: Record<string, unknown> = {}
    for (const mistake of own) {
      const found = await faultsOf(mistake, openStage)
      if (found.length > 0) faults[mistake.name] = found
    }
    expect(faults).toEqual({})
  })
})

async function overlayStage(vector: Vector, connector: Connector): Promise<Stage> {
  const places = placesIn('/base')
  const lower = memory({ [`${places.ROOT}/`]: '', [`${places.OUTSIDE}/`]: '' })
  const fs = overlay(lower, memory())
  return workspaceStage(vector, connector, {
    places,
    raw: fs,
    openWorkspace: async () => createWorkspace({ fs, roots: rootsOf(vector, places), ...optionsOf(vector), shell }),
    close: async () => {},
  })
}

async function faultsOf(
  { vector, note, isPaged }: Mistake,
  openStage: (vector: Vector, connector: Connector) => Promise<Stage>,
): Promise<string[]> {
  const seen: string[] = []
  const stage = await openStage(vector, withoutNotes(seen))
  try {
    const outcome = await play(vector, stage)
    if ('skipped' in outcome) return []
    const faults = isPaged ? outcome.faults.filter((fault) => fault.includes(': isError is ')) : outcome.faults
    const isNoted = note === undefined ? seen.length === 0 : seen.some((one) => one.includes(note))
    return isNoted ? faults : [...faults, `notes: ${JSON.stringify(seen)}`]
  } finally {
    await stage.close()
  }
}

/** Removes the notes from answers, so that they can be compared with those to right calls. */
function withoutNotes(seen: string[]): Connector {
  return {
    speaks: 'calls',
    async connect(workspace, dialect) {
      const connection = await inProcess.connect(workspace, dialect)
      return {
        ...connection,
        async request(method, params) {
          const answer = await connection.request(method, params)
          if (!('result' in answer)) return answer
          const { facts: { note, ...facts } = {}, ...result } = answer.result as ToolResult
          if (typeof note !== 'string') return answer
          seen.push(note)
          const content = result.content
            .map((item) => (item.type === 'text' ? { ...item, text: withoutLine(item.text, `[${note}]`) } : item))
            .filter(({ text }) => text !== '')
          const { note: _, ...structuredContent } = result.structuredContent ?? {}
          return { result: { ...result, content, facts, ...(result.structuredContent && { structuredContent }) } }
        },
      }
    },
  }
}

function withoutLine(text: string, line: string): string {
  if (text === line) return ''
  return text.endsWith(`\n${line}`) ? text.slice(0, -line.length - 1) : text
}
