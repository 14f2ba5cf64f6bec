// Opens a scene from memory and steps it once: the smallest use of both libraries together.
#include <drape/io.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    const char* text = "{ \"drape\": 1, \"cloths\": [ { \"name\": \"towel\","
                       " \"grid\": { \"size\": [1, 1], \"resolution\": [5, 7] } } ] }";
    drape_scene_options options = drape_scene_options_defaults();
    drape_error error = {0};
    drape_scene* scene = drape_scene_open_text(text, strlen(text), "towel.json", &options, &error);
    if (scene == NULL) {
        fprintf(stderr, "%s\n", error.sentence);
        return 1;
    }
    drape_scene_step(scene);
    int count = 0;
    drape_cloth_positions(drape_scene_world(scene), drape_scene_cloth(scene, 0), &count);
    drape_scene_close(scene);
    if (count != 5 * 7) {
        fprintf(stderr, "expected 35 vertices, found %d\n", count);
        return 1;
    }
    return 0;
}
