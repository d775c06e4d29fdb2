/** What a terminal is drawn with, in one file that is loaded when the first one is opened. */
import '@xterm/xterm/css/xterm.css'

export { FitAddon } from '@xterm/addon-fit'
export { Terminal } from '@xterm/xterm'
