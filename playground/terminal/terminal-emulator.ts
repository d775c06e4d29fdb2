/** The terminal emulator in one module, loaded when the terminal is first opened. */
import '@xterm/xterm/css/xterm.css'

export { FitAddon } from '@xterm/addon-fit'
export { Terminal } from '@xterm/xterm'
