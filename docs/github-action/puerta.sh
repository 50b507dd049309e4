#!/usr/bin/env bash
# The gate as a CI step: annotations on stdout, the summary on the job's page, files in a folder, and the
# exit code of run-evals. Needs run-evals on the PATH.
set -uo pipefail
: "${PUERTA_PREDICCIONES:?}" "${PUERTA_CASOS:?}"
salida=${PUERTA_SALIDA:-puerta}
opciones=(--casos "$PUERTA_CASOS" --predicciones "$PUERTA_PREDICCIONES" --split "${PUERTA_SPLIT:-dev}")
mkdir -p "$salida" || exit 8
comparar=${PUERTA_COMPARAR:-}
if [ -n "$comparar" ] && [ "$comparar" -ef "$salida/informe.json" ]; then
    comparar=$salida/informe_anterior.json # the report of the last run, before its place is cleared
    mv -f "$salida/informe.json" "$comparar" || exit 8
fi
[ -z "$comparar" ] || opciones+=(--comparar "$comparar")
# A run that is refused writes nothing: no file of an earlier one may stand for it.
rm -f "$salida/informe.json" "$salida/resumen.md" "$salida/puerta.xml" "$salida/puerta.html"
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
