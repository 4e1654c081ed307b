import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

export default {
  preprocess: vitePreprocess(),
  compilerOptions: {
    // A name of its own for every component, whatever folder it is built in.
    cssHash: ({ name, hash }) => `${name.toLowerCase()}-${hash(name)}`,
    // A component gets its session once, and never another.
    warningFilter: ({ code }) => code !== "state_referenced_locally",
  },
};
