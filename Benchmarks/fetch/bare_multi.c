// The peer: every URL of a file, this many at a time, through libcurl's multi interface and nothing
// else. Each body is read into memory and dropped. usage: bare_multi URLS_FILE PARALLEL
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct body { char *start; size_t count, capacity; };

static size_t on_body(char *bytes, size_t one, size_t count, void *context) {
    struct body *body = context;
    (void)one;
    if (body->count + count > body->capacity) {
        body->capacity = (body->count + count) * 2;
        body->start = realloc(body->start, body->capacity);
    }
    memcpy(body->start + body->count, bytes, count);
    body->count += count;
    return count;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    if (argc != 3) return 64;
    FILE *file = fopen(argv[1], "r");
    if (!file) return 1;
    char **urls = NULL, line[4096];
    size_t count = 0, next = 0, bytes = 0, done = 0;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        urls = realloc(urls, (count + 1) * sizeof *urls);
        urls[count++] = strdup(line);
    }
    int parallel = atoi(argv[2]);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    struct body *bodies = calloc((size_t)parallel, sizeof *bodies);
    double start = now();
    for (int i = 0; i < parallel && next < count; i++) {
        CURL *easy = curl_easy_init();
        curl_easy_setopt(easy, CURLOPT_PRIVATE, &bodies[i]);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &bodies[i]);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_URL, urls[next++]);
        curl_multi_add_handle(multi, easy);
    }
    for (int running = 1; running;) {
        curl_multi_perform(multi, &running);
        CURLMsg *message;
        int left;
        while ((message = curl_multi_info_read(multi, &left))) {
            CURL *easy = message->easy_handle;
            struct body *body;
            if (message->data.result != CURLE_OK) return 1;
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&body);
            bytes += body->count;
            done++;
            free(body->start);
            *body = (struct body){ 0 };
            curl_multi_remove_handle(multi, easy);
            if (next == count) {
                curl_easy_cleanup(easy);
                continue;
            }
            curl_easy_setopt(easy, CURLOPT_URL, urls[next++]);
            curl_multi_add_handle(multi, easy);
            running = 1;
        }
        if (running) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    printf("files %zu bytes %zu seconds %f\n", done, bytes, now() - start);
    curl_multi_cleanup(multi);
    return 0;
}
