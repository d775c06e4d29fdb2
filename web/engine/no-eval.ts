/**
 * Keeps zod from probing whether it may compile code, which a strict Content Security Policy reports as a violation.
 * It must run before any schema is made, so this is the first import of whoever is loaded first.
 */
import { config } from 'zod'

config({ jitless: true })
