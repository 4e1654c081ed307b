import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// One ES module and one style sheet, with the same names and bytes wherever they are built.
export default defineConfig({
  plugins: [svelte()],
  base: "./",
  build: {
    outDir: "../src/ifonly/page/assets",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    rolldownOptions: {
      input: "src/main.ts",
      preserveEntrySignatures: "strict",
      output: { entryFileNames: "page.js", assetFileNames: "page[extname]", codeSplitting: false },
    },
  },
  test: { include: ["tests/**/*.test.ts"] },
});
