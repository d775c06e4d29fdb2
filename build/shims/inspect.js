/** How memfs words an argument that it refuses; its own way takes some kilobytes. */
export const inspect = String
