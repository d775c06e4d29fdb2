/** `set -u` */
import { ExpansionFailure } from '../run/jumps.js'

/** Ends the shell, after the message. */
export class UnboundFailure extends ExpansionFailure {
  constructor(name: string) {
    super(`${name}: unbound variable`, 127)
  }
}
