#!/usr/bin/env bash
# The gate as a CI step: annotations on stdout, the summary on the job's page, files in a folder, and the
# exit code of run-evals. Needs run-evals on the PATH.
set -uo pipefail
: "${PUERTA_PREDICCIONES:?}" "${PUERTA_CASOS:?}"
salida=${PUERTA_SALIDA:-puerta}
opciones=(--casos "$PUERTA_CASOS" --predicciones "$PUERTA_PREDICCIONES" --split "${PUERTA_SPLIT:-dev}")
[ -z "${PUERTA_COMPARAR:-}" ] || opciones+=(--comparar "$PUERTA_COMPARAR")
mkdir -p "$salida" || exit 8
rm -f "$salida/informe.json" "$salida/resumen.md" # never the files of an earlier run
run-evals "${opciones[@]}" --juez ninguno --informe "$salida/informe.json" \
    --formato github --formato "junit=$salida/puerta.xml" \
    --formato "markdown=$salida/resumen.md" --formato "html=$salida/puerta.html"
codigo=$?
if [ -f "$salida/resumen.md" ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    cat "$salida/resumen.md" >>"$GITHUB_STEP_SUMMARY"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
    veredicto=$(sed -n 's/^  "veredicto": "\([a-z_]*\)",$/\1/p' "$salida/informe.json" 2>/dev/null | head -n 1)
    printf 'veredicto=%s\n' "$veredicto" >>"$GITHUB_OUTPUT"
fi
exit "$codigo"
