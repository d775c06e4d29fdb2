/** `set -u` */
import { ExpansionFailure } from '../run/state/jumps.js'

/** Ends the shell, after the message. */
export class UnboundFailure extends ExpansionFailure {
  constructor(name: string) {
    super(`${name}: unbound variable`, 127)
  }
}
