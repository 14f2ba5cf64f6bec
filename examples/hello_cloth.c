#include <drape/drape.h>
#include <stdio.h>

int main(void)
{
    drape_world_def world_def = drape_world_defaults();      // SI units, gravity along -y
    drape_world* world = drape_world_create(&world_def);
    drape_collider_add_sphere(world, (drape_vec3){0.0f, 0.5f, 0.0f}, 0.3f);

    drape_cloth_def towel = drape_cloth_defaults();
    towel.fabric = drape_fabric_cotton();
    towel.origin = (drape_vec3){-0.5f, 1.0f, -0.5f};
    drape_cloth_id cloth = drape_cloth_add_grid(world, &towel, 1.0f, 1.0f, 40, 40);
    if (!drape_cloth_is_valid(world, cloth)) {
        fprintf(stderr, "towel: %s\n", drape_world_error(world));
        drape_world_destroy(world);
        return 1;
    }
    for (int frame = 0; frame < 120; ++frame) {
        drape_step_report report = drape_world_step(world, 1.0f / 60.0f);
        printf("%3d  smallest gap %.5f m\n", frame, report.smallest_gap);
    }
    int count = 0;
    const drape_vec3* points = drape_cloth_positions(world, cloth, &count);
    printf("%d vertices, first at height %.3f m\n", count, points[0].y);
    drape_world_destroy(world);
    return 0;
}
