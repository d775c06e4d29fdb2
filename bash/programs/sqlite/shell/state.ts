/** What the shell of SQLite knows while it runs. */
import type { ProgramIo } from '../../../io/program.js'
import type { ByteReader } from '../../../io/streams.js'
import type { Engine } from '../engine/engine.js'
import type { HeldFiles } from '../engine/held-files.js'
import type { Answers } from './answers.js'
import type { Sink } from './sink.js'

export type Mode =
  | 'line'
  | 'column'
  | 'list'
  | 'semi'
  | 'html'
  | 'insert'
  | 'quote'
  | 'tcl'
  | 'csv'
  | 'explain'
  | 'ascii'
  | 'pretty'
  | 'eqp'
  | 'json'
  | 'markdown'
  | 'table'
  | 'box'
  | 'count'
  | 'off'

/** What `.show` and `.mode` call them. */
export const modeNames: Readonly<Record<Mode, string>> = {
  line: 'line',
  column: 'column',
  list: 'list',
  semi: 'semi',
  html: 'html',
  insert: 'insert',
  quote: 'quote',
  tcl: 'tcl',
  csv: 'csv',
  explain: 'explain',
  ascii: 'ascii',
  pretty: 'prettyprint',
  eqp: 'eqp',
  json: 'json',
  markdown: 'markdown',
  table: 'table',
  box: 'box',
  count: 'count',
  off: 'off',
}

export const columnarModes: ReadonlySet<Mode> = new Set(['column', 'markdown', 'table', 'box'])

export interface ColumnOptions {
  wrap: number
  wordWrap: boolean
  quote: boolean
}

/** What decides how rows are written. */
export interface Layout {
  mode: Mode
  showHeader: boolean
  columnSeparator: string
  rowSeparator: string
  nullValue: string
  columns: ColumnOptions
  widths: number[]
  /** The table of `insert`, quoted. */
  table: string
}

export interface Connection {
  handle: number
  name: string | undefined
}

/** Lines of a script, with their number. */
export interface Source {
  lines: { next(): Promise<string | undefined> | string | undefined }
  /** Absent: standard input at a terminal. */
  reader?: ByteReader
}

export interface ShellState {
  readonly io: ProgramIo
  readonly engine: Engine
  readonly files: HeldFiles
  readonly answers: Answers
  layout: Layout
  connections: Array<Connection | undefined>
  active: number
  openMode: 'normal' | 'readonly'
  openFlags: number
  cwd: string
  /** Runs a script; true: there were errors. */
  script(reader: ByteReader): Promise<boolean>
  out: Sink
  /** What `.output` named. */
  outName: string
  /** `.once`: after so many more inputs the output is as it was. */
  outCount: number
  headerWasSet: boolean
  echo: boolean
  countChanges: boolean
  backslash: boolean
  autoExplain: boolean
  /** Before `.explain on`. */
  usualMode: Mode
  queryPlan: 'off' | 'on' | 'trigger' | 'full'
  bail: boolean
  isInteractive: boolean
  isTimed: boolean
  prompts: [string, string]
  line: number
  nesting: number
  savedAtMs: number
  /** Adds `generate_series` to a connection. */
  addSeries(handle: number): void
  /** What the engine calls while it computes. */
  progress: number
}

export const plainColumns: ColumnOptions = { wrap: 60, wordWrap: false, quote: false }

export function initialLayout(): Layout {
  return {
    mode: 'list',
    showHeader: false,
    columnSeparator: '|',
    rowSeparator: '\n',
    nullValue: '',
    columns: { wrap: 0, wordWrap: false, quote: false },
    widths: [],
    table: '',
  }
}

/** The open connection; 0 when there is none. */
export function handleOf(state: ShellState): number {
  return state.connections[state.active]?.handle ?? 0
}

export function say(state: ShellState, text: string): Promise<void> {
  return Promise.resolve(state.io.stderr.write(text))
}

/** Ends the whole program. */
export class Exit extends Error {
  constructor(readonly status: number) {
    super('exit')
  }
}
