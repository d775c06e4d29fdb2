export { takeTurns } from '../fs/take-turns.js'
