/** Every dialect as it is shipped: the conformance cases against the built command, over its standard input and output. */
import { describeVectors } from '../../dialects/vectors/suite.js'
import { stdioBackend } from './stdio-backend.js'

describeVectors({ ...stdioBackend(), isSampled: true })
