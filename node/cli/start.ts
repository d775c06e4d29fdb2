/** The first file of the command. It lets Node store the code that it compiles, which saves a fifth of the time to start, and loads the rest. */
import { keepCompiledCode } from './compiled-code.js'

keepCompiledCode()
// Not a static import, which would be compiled before.
void import('./cli.js')
