/**
 * Stops zod from testing whether it may compile code, which a strict Content Security Policy reports as a violation.
 * Must run before any schema is created, so each entry point imports it first.
 */
import { config } from 'zod'

config({ jitless: true })
