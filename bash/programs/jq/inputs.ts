/** The inputs of a run: values of the files one after another, lines, or one value of everything. */

import { describeError } from '../../io/describe-error.js'
import type { ProgramIo } from '../../io/program.js'
import type { ByteReader } from '../../io/streams.js'
import { createJsonReader, type JsonReader } from './json/json-reader.js'
import { streamEvents } from './stream-events.js'
import type { Json } from './values.js'

export interface InputOptions {
  names: readonly string[]
  isRaw: boolean
  isSlurped: boolean
  isStreamed: boolean
}

export interface Inputs {
  /** Reads everything, so that `nextNow` can be used. */
  load(): Promise<void>
  next(): Promise<Json | undefined>
  /** As `next`, of what was read by now. */
  ready(): Json | undefined
  nextNow(): Json | undefined
  /** The file of the last input; null for standard input. */
  name(): string | null
  line(): number
  /** Where the last input was, for messages. */
  place(): string
  /** True when a file could not be read. */
  hasFailed(): boolean
}

export function createInputs(io: ProgramIo, options: InputOptions): Inputs {
  const waiting: Array<string | undefined> = options.names.length > 0 ? [...options.names] : [undefined]
  /** Texts that were read ahead; a name starts a file and undefined ends it. */
  const loaded: Array<{ name: string | undefined } | { text: string } | 'end'> = []
  const decoders = { current: new TextDecoder() }
  let open: ByteReader | undefined
  let name: string | undefined
  let hasBegun = false
  const reader: JsonReader = createJsonReader()
  /** Lines of the files before the present one. */
  let linesBefore = 0
  let rawText = ''
  let rawLines = 0
  let failed = false
  let slurped = false
  let isLoaded = false
  let events: Json[] = []
  /** The one input of a slurped run that was loaded. */
  let preset: Json | undefined

  /** One more piece of what is read; false at the end of everything. */
  async function readPiece(): Promise<(typeof loaded)[number] | undefined> {
    if (open === undefined) {
      if (waiting.length === 0) return undefined
      const given = waiting.shift()
      try {
        open = given === undefined ? io.stdin : await io.fs.openRead(given)
      } catch (error) {
        await io.stderr.write(`jq: error: Could not open file ${given}: ${describeError(error)}\n`)
        failed = true
        return readPiece()
      }
      decoders.current = new TextDecoder()
      return { name: given }
    }
    const chunk = await open.read()
    if (chunk === undefined) {
      open = undefined
      return 'end'
    }
    io.account(chunk.length * 2)
    return { text: decoders.current.decode(chunk, { stream: true }) }
  }

  function accept(piece: (typeof loaded)[number]): void {
    if (piece === 'end') {
      if (!options.isRaw && waiting.length === 0 && loaded.length === 0) reader.end()
      return
    }
    if ('name' in piece) {
      name = piece.name
      hasBegun = true
      linesBefore = reader.lines()
      return
    }
    if (options.isRaw) rawText += piece.text
    else reader.add(piece.text)
  }

  /** A value that is complete by now. */
  function ready(): Json | undefined {
    if (!options.isRaw) return reader.next()?.value
    const end = rawText.indexOf('\n')
    if (end === -1) return undefined
    const line = rawText.slice(0, end)
    rawText = rawText.slice(end + 1)
    rawLines += 1
    return line
  }

  /** The last line needs no line break. */
  function rest(): Json | undefined {
    if (!options.isRaw || rawText === '') return undefined
    const line = rawText
    rawText = ''
    return line
  }

  function fromEvents(value: Json): Json {
    events = streamEvents(value)
    return events.shift() as Json
  }

  async function nextPlain(): Promise<Json | undefined> {
    for (;;) {
      const found = ready()
      if (found !== undefined) return found
      const piece = loaded.length > 0 ? loaded.shift() : isLoaded ? undefined : await readPiece()
      if (piece === undefined) return rest()
      accept(piece)
    }
  }

  function nextPlainNow(): Json | undefined {
    for (;;) {
      const found = ready()
      if (found !== undefined) return found
      const piece = loaded.shift()
      if (piece === undefined) return rest()
      accept(piece)
    }
  }

  async function slurp(): Promise<Json | undefined> {
    if (slurped) return undefined
    slurped = true
    if (options.isRaw) {
      const texts: string[] = []
      for (let piece = await readPiece(); piece !== undefined; piece = await readPiece()) {
        if (piece !== 'end' && 'text' in piece) texts.push(piece.text)
      }
      return texts.join('')
    }
    const all: Json[] = []
    for (let value = await nextPlain(); value !== undefined; value = await nextPlain()) {
      if (options.isStreamed) all.push(...streamEvents(value))
      else all.push(value)
    }
    return all
  }

  return {
    async load() {
      if (options.isSlurped) {
        preset = await slurp()
        isLoaded = true
        return
      }
      for (let piece = await readPiece(); piece !== undefined; piece = await readPiece()) loaded.push(piece)
      isLoaded = true
    },
    async next() {
      if (preset !== undefined) return takePreset()
      if (events.length > 0) return events.shift()
      if (options.isSlurped) return slurp()
      const value = await nextPlain()
      return value !== undefined && options.isStreamed ? fromEvents(value) : value
    },
    ready: () => (options.isStreamed || options.isSlurped || preset !== undefined ? undefined : ready()),
    nextNow() {
      if (preset !== undefined) return takePreset()
      if (events.length > 0) return events.shift()
      const value = nextPlainNow()
      return value !== undefined && options.isStreamed ? fromEvents(value) : value
    },
    name: () => name ?? (hasBegun ? '<stdin>' : null),
    line: () => (options.isRaw ? rawLines : reader.line() - linesBefore),
    place() {
      if (!hasBegun) return '<unknown>'
      const line = options.isRaw ? rawLines : reader.line() - linesBefore
      return `${name ?? '<stdin>'}:${line}`
    },
    hasFailed: () => failed,
  }

  function takePreset(): Json | undefined {
    const value = preset
    preset = undefined
    return value
  }
}
