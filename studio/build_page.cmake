# Builds the page in a folder of its own, so that the source stays as it is. Packages are fetched only when the lock file has
# changed. Where that cannot be (no network), the page is left out unless it is NEEDED (ON), and the next build tries again:
# the STAMP that says it is there is written only then.
file(MAKE_DIRECTORY ${WORK})
file(REMOVE_RECURSE ${WORK}/src)
file(COPY ${SOURCE}/src ${SOURCE}/package.json ${SOURCE}/package-lock.json ${SOURCE}/build.mjs ${SOURCE}/index.html
     DESTINATION ${WORK})
set(stamp ${WORK}/node_modules/.limber-lock)
file(SHA256 ${SOURCE}/package-lock.json lock)
set(fetched)
if(EXISTS ${stamp})
  file(READ ${stamp} fetched)
endif()
set(failed 0)
if(NOT fetched STREQUAL lock)
  execute_process(COMMAND ${NPM} ci --omit=dev --no-audit --no-fund --ignore-scripts WORKING_DIRECTORY ${WORK}
                  RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT failed)
    file(WRITE ${stamp} ${lock})
  endif()
endif()
if(NOT failed)
  execute_process(COMMAND ${NODE} build.mjs ${OUTPUT} WORKING_DIRECTORY ${WORK}
                  RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(failed)
    message(FATAL_ERROR "the studio's page does not build:\n${said}")
  endif()
  file(TOUCH ${STAMP})
elseif(NEEDED STREQUAL "ON")
  message(FATAL_ERROR "npm could not fetch the page's packages:\n${said}")
else()
  message(WARNING "the studio is built without its page, as npm could not fetch its packages:\n${said}")
endif()
