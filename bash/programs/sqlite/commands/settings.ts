/** Commands that change how the shell works. */
import { type DotCommand, isOption, refuse, truth } from '../shell/command.js'

import { closeHandle, openShellDatabase } from '../shell/connections.js'
import { nameInSql } from '../shell/names.js'
import { cString, integerOf } from '../shell/quoting.js'
import { columnarModes, type Mode, modeNames, plainColumns, type ShellState } from '../shell/state.js'

/** A setting that is on or off. */
function toggle(
  name: string,
  set: (state: ShellState, value: boolean) => void,
  { shortest = 1, usage = 'on|off' } = {},
): DotCommand {
  return {
    name,
    shortest,
    async run(state, words) {
      if (words.length !== 2) return refuse(state, `Usage: .${name} ${usage}\n`)
      set(state, await truth(state, words[1] as string))
      return 0
    },
  }
}

interface NamedMode {
  mode: Mode
  columnSeparator?: string
  rowSeparator?: string
}

/** As `.mode` names them; the first that begins so is meant. */
const modes: ReadonlyArray<[string, NamedMode]> = [
  ['lines', { mode: 'line', rowSeparator: '\n' }],
  ['columns', { mode: 'column', rowSeparator: '\n' }],
  ['list', { mode: 'list', columnSeparator: '|', rowSeparator: '\n' }],
  ['html', { mode: 'html' }],
  ['tcl', { mode: 'tcl', columnSeparator: ' ', rowSeparator: '\n' }],
  ['csv', { mode: 'csv', columnSeparator: ',', rowSeparator: '\r\n' }],
  ['tabs', { mode: 'list', columnSeparator: '\t' }],
  ['insert', { mode: 'insert' }],
  ['quote', { mode: 'quote', columnSeparator: ',', rowSeparator: '\n' }],
  ['ascii', { mode: 'ascii', columnSeparator: '\x1f', rowSeparator: '\x1e' }],
  ['markdown', { mode: 'markdown' }],
  ['table', { mode: 'table' }],
  ['box', { mode: 'box' }],
  ['count', { mode: 'count' }],
  ['off', { mode: 'off' }],
  ['json', { mode: 'json' }],
]

const modeOptions = `options:
  --noquote
  --quote
  --wordwrap on/off
  --wrap N
  --ww
`
const wrongMode =
  'Error: mode should be one of: ascii box column csv html insert json line list markdown qbox quote table tabs tcl\n'

async function setMode(state: ShellState, words: readonly string[]): Promise<number> {
  const { layout } = state
  const columns = { ...plainColumns }
  let mode: string | undefined
  let table: string | undefined
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] as string
    const hasNext = at + 1 < words.length
    if (isOption(word, 'wrap') && hasNext) {
      at += 1
      columns.wrap = integerOf(words[at] as string)
    } else if (isOption(word, 'ww')) columns.wordWrap = true
    else if (isOption(word, 'wordwrap') && hasNext) {
      at += 1
      columns.wordWrap = await truth(state, words[at] as string)
    } else if (isOption(word, 'quote')) columns.quote = true
    else if (isOption(word, 'noquote')) columns.quote = false
    else if (mode === undefined) {
      mode = word === 'qbox' ? 'box' : word
      if (word === 'qbox') Object.assign(columns, plainColumns, { quote: true })
    } else if (table === undefined) table = word
    else if (word.startsWith('-')) return refuse(state, `unknown option: ${word}\n${modeOptions}`)
    else return refuse(state, `extra argument: "${word}"\n`)
  }
  if (mode === undefined) {
    await state.out.write(`current output mode: ${modeText(state)}\n`)
    mode = modeNames[layout.mode]
  }
  const [, found] = modes.find(([name]) => name.startsWith(mode as string)) ?? []
  if (found === undefined) return refuse(state, wrongMode)
  layout.mode = found.mode
  if (found.columnSeparator !== undefined) layout.columnSeparator = found.columnSeparator
  if (found.rowSeparator !== undefined) layout.rowSeparator = found.rowSeparator
  if (columnarModes.has(found.mode)) layout.columns = columns
  if (found.mode === 'column' && !state.headerWasSet) layout.showHeader = true
  if (found.mode === 'insert') layout.table = nameInSql(state.engine, table ?? 'table')
  return 0
}

/** The mode with its options. */
function modeText({ layout }: ShellState): string {
  const name = modeNames[layout.mode]
  if (!columnarModes.has(layout.mode)) return name
  const { wrap, wordWrap, quote } = layout.columns
  return `${name} --wrap ${wrap} --wordwrap ${wordWrap ? 'on' : 'off'} --${quote ? '' : 'no'}quote`
}

async function show(state: ShellState): Promise<void> {
  const { layout } = state
  const active = state.connections[state.active]
  const onOff = (value: boolean) => (value ? 'on' : 'off')
  const lines: Array<[string, string]> = [
    ['echo', onOff(state.echo)],
    ['eqp', state.queryPlan],
    ['explain', layout.mode === 'explain' ? 'on' : state.autoExplain ? 'auto' : 'off'],
    ['headers', onOff(layout.showHeader)],
    ['mode', modeText(state)],
    ['nullvalue', cString(layout.nullValue)],
    ['output', state.outName === '' ? 'stdout' : state.outName],
    ['colseparator', cString(layout.columnSeparator)],
    ['rowseparator', cString(layout.rowSeparator)],
    ['stats', 'off'],
    ['width', layout.widths.map((width) => `${width} `).join('')],
    ['filename', active?.name ?? ''],
  ]
  for (const [name, value] of lines) await state.out.write(`${name.padStart(12)}: ${value}\n`)
}

const shortText = 19

export const settingCommands: readonly DotCommand[] = [
  toggle('bail', (state, value) => (state.bail = value), { shortest: 3 }),
  // Text and bytes are the same here.
  toggle('binary', () => {}, { shortest: 3 }),
  toggle('changes', (state, value) => (state.countChanges = value), { shortest: 3 }),
  toggle('echo', (state, value) => (state.echo = value)),
  toggle('headers', (state, value) => {
    state.layout.showHeader = value
    state.headerWasSet = true
  }),
  toggle('timer', (state, value) => (state.isTimed = value), { shortest: 5 }),
  {
    name: 'eqp',
    async run(state, words) {
      const [, value = ''] = words
      if (words.length !== 2) return refuse(state, 'Usage: .eqp off|on|trace|trigger|full\n')
      if (value === 'full' || value === 'trigger')
        return refuse(state, `Error: .eqp ${value} is not supported by this shell\n`)
      state.queryPlan = (await truth(state, value)) ? 'on' : 'off'
      return 0
    },
  },
  {
    name: 'explain',
    async run(state, [, value]) {
      const isOn = value === undefined || (value !== 'auto' && (await truth(state, value)))
      if (isOn && state.layout.mode !== 'explain') {
        state.usualMode = state.layout.mode
        state.layout.mode = 'explain'
      } else if (!isOn && state.layout.mode === 'explain') state.layout.mode = state.usualMode
      state.autoExplain = value === 'auto'
      return 0
    },
  },
  { name: 'mode', run: setMode },
  {
    name: 'nullvalue',
    async run(state, words) {
      if (words.length !== 2) return refuse(state, 'Usage: .nullvalue STRING\n')
      state.layout.nullValue = (words[1] as string).slice(0, shortText)
      return 0
    },
  },
  {
    name: 'separator',
    async run(state, words) {
      const [, column, row] = words
      if (column !== undefined) state.layout.columnSeparator = column.slice(0, shortText)
      if (row !== undefined) state.layout.rowSeparator = row.slice(0, shortText)
      return words.length < 2 || words.length > 3 ? refuse(state, 'Usage: .separator COL ?ROW?\n') : 0
    },
  },
  {
    name: 'width',
    async run(state, [, ...widths]) {
      state.layout.widths = widths.map(integerOf)
      return 0
    },
  },
  {
    name: 'prompt',
    async run(state, [, main, more]) {
      state.prompts = [main ?? state.prompts[0], more ?? state.prompts[1]]
      return 0
    },
  },
  {
    name: 'show',
    async run(state, words) {
      if (words.length !== 1) return refuse(state, 'Usage: .show\n')
      await show(state)
      return 0
    },
  },
  {
    name: 'cd',
    isExact: true,
    async run(state, words) {
      const [, directory = ''] = words
      if (words.length !== 2) return refuse(state, 'Usage: .cd DIRECTORY\n')
      const path = state.io.path(directory)
      const stat = await state.io.fs.stat(path).catch(() => undefined)
      if (stat?.kind !== 'directory') return refuse(state, `Cannot change to directory "${directory}"\n`)
      state.cwd = path
      return 0
    },
  },
  {
    name: 'timeout',
    shortest: 5,
    async run(state) {
      // Nobody else has a lock, so nothing is ever waited for.
      await openShellDatabase(state)
      return 0
    },
  },
  {
    name: 'connection',
    async run(state, words) {
      const [, first = '', second = ''] = words
      if (words.length === 1) return listConnections(state)
      if (words.length === 2 && /^[0-4]$/.test(first)) {
        state.active = Number(first)
        state.connections[state.active] ??= { handle: 0, name: undefined }
        return 0
      }
      if (words.length === 3 && first === 'close' && /^\d$/.test(second)) {
        const index = Number(second)
        if (index === state.active) return refuse(state, 'cannot close the active database connection\n')
        closeHandle(state, state.connections[index]?.handle ?? 0)
        state.connections[index] = undefined
        return 0
      }
      return refuse(state, 'Usage: .connection [close] [CONNECTION-NUMBER]\n')
    },
  },
]

const mostConnections = 5

async function listConnections(state: ShellState): Promise<number> {
  for (let index = 0; index < mostConnections; index += 1) {
    const connection = state.connections[index]
    const isActive = index === state.active
    if (!isActive && (connection?.handle ?? 0) === 0) continue
    const name = connection?.name
    const file = name === undefined ? '(memory)' : name === '' ? '(temporary-file)' : name
    await state.io.stdout.write(`${isActive ? 'ACTIVE' : '      '} ${index}: ${file}\n`)
  }
  return 0
}
