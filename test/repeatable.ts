/** The few generated cases of a default run are the same each time; a full run generates new ones. */
import fc from 'fast-check'
import { isFull } from './scale.js'

if (!isFull) fc.configureGlobal({ seed: 20_260_101 })
