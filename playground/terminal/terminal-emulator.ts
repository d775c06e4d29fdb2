/** The terminal emulator, and what it needs to know of a command, in one module: it is loaded when the terminal is first opened. */
import '@xterm/xterm/css/xterm.css'
import { FitAddon } from '@xterm/addon-fit'
import { type ITheme, type IUnicodeVersionProvider, Terminal } from '@xterm/xterm'
import type { LineEditor } from './line-editor.js'
import { widthOf } from './line-layout.js'

export { completenessOf } from '../../bash/language/syntax/completeness.js'

export interface EmulatorOptions {
  theme: ITheme
  editor: LineEditor
  /** False for the keys that are the page's. */
  takesKey(event: KeyboardEvent): boolean
}

/** Opens a terminal in `place`, whose input is the editor's. */
export function openEmulator(place: HTMLElement, { theme, editor, takesKey }: EmulatorOptions): Terminal {
  const emulator = new Terminal({
    allowProposedApi: true,
    fontSize: innerWidth < 600 ? 12 : 13,
    convertEol: true,
    cursorBlink: true,
    screenReaderMode: true,
    theme,
  })
  emulator.unicode.register(ownWidths)
  emulator.unicode.activeVersion = ownWidths.version
  const fit = new FitAddon()
  emulator.loadAddon(fit)
  place.replaceChildren()
  emulator.open(place)
  new ResizeObserver(() => {
    const next = place.clientHeight > 0 ? fit.proposeDimensions() : undefined
    if (next === undefined || (next.cols === emulator.cols && next.rows === emulator.rows)) return
    // The emulator cuts what is in the row of the cursor.
    editor.whileErased(() => fit.fit())
  }).observe(place)
  emulator.onData(editor.type)
  emulator.attachCustomKeyEventHandler((event) => !pastes(event) && takesKey(event))
  takePastes(place, editor)
  if (emulator.textarea) takeInsertedText(emulator.textarea, editor)
  return emulator
}

/** The browser's own key for it: the emulator would send it as a character. */
function pastes({ ctrlKey, metaKey, altKey, key }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'v'
}

/** Before the emulator, which would send the text as if it were typed. */
function takePastes(place: HTMLElement, editor: LineEditor): void {
  place.addEventListener(
    'paste',
    (event) => {
      event.preventDefault()
      event.stopPropagation()
      editor.paste(event.clipboardData?.getData('text/plain') ?? '')
    },
    true,
  )
}

/** Text that comes without a key, such as from a picker of emoji. With a screen reader's help the emulator leaves it out. */
function takeInsertedText(textarea: HTMLTextAreaElement, editor: LineEditor): void {
  let isKeyDown = false
  textarea.addEventListener('keydown', () => {
    isKeyDown = true
  })
  textarea.addEventListener('keyup', () => {
    isKeyDown = false
  })
  textarea.addEventListener('input', (event) => {
    const { data, inputType, isComposing } = event as InputEvent
    if (isKeyDown || isComposing || !data) return
    if (inputType === 'insertText' || inputType === 'insertFromDrop') editor.paste(data)
  })
}

/** The emulator counts columns as the editor does: its own table knows no emoji. */
const ownWidths: IUnicodeVersionProvider = {
  version: 'polyfs',
  wcwidth: widthOf,
  charProperties(code, before) {
    const width = widthOf(code)
    const widthBefore = (before >> 1) & 3
    const joins = width === 0 && widthBefore > 0
    return ((joins ? widthBefore : width) << 1) | (joins ? 1 : 0)
  },
}
